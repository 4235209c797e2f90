import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { type InputFlags, inputFlags } from '../../arguments/input-flags.ts';
import { deploymentArgument } from '../../arguments/positional.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { showPlan } from '../../output/show-plan.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { readChange } from './read-change.ts';

interface Flags extends ConnectionFlags, InputFlags {
  env?: string;
  chart?: string;
  newest?: boolean;
}

export const diff = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Show what a change of a deployment would do to its objects',
    fullDescription: [
      'Show what a change of a deployment would do to its objects, without making it. The exit code is 0 if nothing would change and 1 if something would.',
      '',
      '  berth diff web -e prod --set replicas=5',
      '  berth diff web -e prod --newest',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      chart: { kind: 'parsed', parse: String, brief: 'KIND@VERSION or KIND@sha256:DIGEST', optional: true },
      newest: { kind: 'boolean', brief: 'The newest chart, as upgrade takes it', optional: true, withNegated: false },
      ...inputFlags,
    },
    aliases: { e: 'env', f: 'file' },
    positional: { kind: 'tuple', parameters: [deploymentArgument] },
  },
  async func({ newest = false, ...flags }, name) {
    const client = await connect(this, flags);
    const { present, change } = await readChange(client, { ...flags, takesNewest: newest }, name);
    if (Object.keys(change).length === 0) return say(this, `nothing of ${name} would change`);
    showPlan(this, unwrap(await client.deploymentPlans.of_update({ id: present.id, body: change })));
    throw new CliFailure('failed', `${name} would change`);
  },
});
