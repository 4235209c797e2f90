import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { type Cli, print } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { durationFlag } from '../../input/duration.ts';
import { taskOf } from '../../names/task-of.ts';
import { followTasks } from './follow-tasks.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  wait?: boolean;
  timeout?: number;
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
      env: { kind: 'parsed', parse: String, brief: 'The env of the deployment', optional: true },
      wait: { kind: 'boolean', brief: 'Follow the log until the task ends', optional: true, withNegated: false },
      timeout: durationFlag('How long --wait waits at most; 10m unless given'),
    },
    aliases: { e: 'env' },
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, brief: 'a deployment, by name or id, or the id of a task', placeholder: 'name' }],
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
