import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { taskArgument } from '../../arguments/positional.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { taskOf } from '../../names/task-of.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  reason?: string;
}

export const cancel = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Cancel a task, or the newest task of a deployment',
    fullDescription:
      'Cancel a task, or the newest task of a deployment. One that has started is asked to stop.\n\n  berth cancel web -e prod --reason "wrong chart"',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      reason: { kind: 'parsed', parse: String, brief: 'Why, for those who read about it later', optional: true },
    },
    aliases: { e: 'env' },
    positional: {
      kind: 'tuple',
      parameters: [taskArgument],
    },
  },
  async func({ env, reason, ...flags }, name) {
    const client = await connect(this, flags);
    const { id } = await taskOf(client, name, env);
    const body = reason === undefined ? {} : { body: { reason } };
    const { status } = unwrap(await client.deploymentTasks.cancel({ id, ...body }));
    say(this, status === 'Canceled' ? `task ${id} is cancelled` : `task ${id} was asked to stop`);
  },
});
