import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { rowsArgument } from '../../arguments/positional.ts';
import { type Cli, print } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { kindWithNames } from '../../names/kind-named.ts';
import { resolve, scopeOfKind } from '../../names/resolve.ts';
import { showFacts } from '../../output/show-facts.ts';
import { yamlOf } from '../../output/print-rows.ts';

interface Flags extends ConnectionFlags {
  env?: string;
}

export const describe = buildCommand<Flags, string[], Cli>({
  docs: {
    brief: 'Show every field of a row, and why it is as it is',
    fullDescription: [
      'Show every field of a row, and why it is as it is. Of a chart these are also the inputs that it takes.',
      '',
      '  berth describe deployment web -e prod',
      '  berth describe chart HelloWeb@1.2.0',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env in which the name is looked for'),
    },
    aliases: { e: 'env' },
    positional: rowsArgument,
  },
  async func({ env, ...flags }, ...given) {
    const { kind, names } = kindWithNames(given);
    const client = await connect(this, flags);
    const scope = await scopeOfKind(client, kind, env);
    for (const [at, name] of names.entries()) {
      if (at > 0) print(this, '---');
      const row = await resolve(client, kind, name, scope);
      print(this, await yamlOf(row));
      if (kind.resource !== 'deployments' && kind.resource !== 'deploymentTasks') continue;
      const { facts } = unwrap(await client[kind.resource].why({ id: row.id }));
      showFacts(this, facts);
    }
  },
});
