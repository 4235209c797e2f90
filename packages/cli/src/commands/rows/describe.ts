import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { kindArgument, rowArgument } from '../../arguments/positional.ts';
import { type Cli, print } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { kindNamed } from '../../names/kind-named.ts';
import { envScope, resolve } from '../../names/resolve.ts';
import { showFacts } from '../../output/show-facts.ts';
import { yamlOf } from '../../output/print-rows.ts';

interface Flags extends ConnectionFlags {
  env?: string;
}

export const describe = buildCommand<Flags, [string, string], Cli>({
  docs: {
    brief: 'Show all of one row, and why it is as it is',
    fullDescription: 'Show all of one row, and why it is as it is.\n\n  berth describe deployment web -e prod',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env in which the name is looked for'),
    },
    aliases: { e: 'env' },
    positional: {
      kind: 'tuple',
      parameters: [kindArgument, rowArgument],
    },
  },
  async func({ env, ...flags }, kindName, name) {
    const kind = kindNamed(kindName);
    const client = await connect(this, flags);
    const row = await resolve(client, kind, name, await envScope(client, env));
    print(this, await yamlOf(row));
    if (kind.resource !== 'deployments' && kind.resource !== 'deploymentTasks') return;
    const { facts } = unwrap(await client[kind.resource].why({ id: row.id }));
    showFacts(this, facts);
  },
});
