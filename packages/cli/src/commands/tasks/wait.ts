import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { taskArgument } from '../../arguments/positional.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { durationFlag } from '../../input/duration.ts';
import { taskOf } from '../../names/task-of.ts';
import { withProgress } from '../../terminal/progress.ts';
import { waitForDone } from './wait-for-done.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  timeout?: number;
}

export const wait = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Wait until a task, or the newest task of a deployment, has ended',
    fullDescription:
      'Wait until a task, or the newest task of a deployment, has ended. The exit code says how: 0 done, 1 failed, 4 timed out, 130 cancelled.\n\n  berth wait web -e prod --timeout 5m',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      timeout: durationFlag('How long at most; 10m unless given'),
    },
    aliases: { e: 'env' },
    positional: {
      kind: 'tuple',
      parameters: [taskArgument],
    },
  },
  async func({ env, timeout = 600_000, ...flags }, name) {
    const client = await connect(this, flags);
    const { id } = await taskOf(client, name, env);
    await withProgress(this, `waiting for task ${id}`, waitForDone(client, id, { withinMs: timeout }));
    say(this, `task ${id} is done`);
  },
});
