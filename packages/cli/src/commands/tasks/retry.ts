import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { taskArgument } from '../../arguments/positional.ts';
import { type WaitFlags, waitFlags } from '../../arguments/wait-flags.ts';
import { type Cli, print } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { taskOf } from '../../names/task-of.ts';
import { followTasks } from './follow-tasks.ts';

interface Flags extends ConnectionFlags, WaitFlags {
  env?: string;
}

export const retry = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Repeat a task that failed or was cancelled, or the newest task of a deployment',
    fullDescription:
      'Repeat a task that failed or was cancelled, or the newest task of a deployment.\n\n  berth retry web -e prod --wait',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      ...waitFlags,
    },
    aliases: { e: 'env' },
    positional: {
      kind: 'tuple',
      parameters: [taskArgument],
    },
  },
  async func({ env, wait, timeout, ...flags }, name) {
    const client = await connect(this, flags);
    const failed = await taskOf(client, name, env);
    const { id } = unwrap(await client.deploymentTasks.retry({ id: failed.id }));
    print(this, `task/${id}`);
    if (wait) await followTasks({ cli: this, client, ids: [id], withinMs: timeout });
  },
});
