import type { Client, Success } from '@berth/client';
import type { WaitFlags } from '../../arguments/wait-flags.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { followTasks } from './follow-tasks.ts';

interface Reported {
  cli: Cli;
  client: Client;
  queued: Pick<Success<unknown>, 'taskIds' | 'taskCount'>;
  wait: WaitFlags['wait'];
  timeout: WaitFlags['timeout'];
}

/** Writes the tasks that a change queued and, with `--wait`, follows them. */
export async function reportTasks({ cli, client, queued, wait, timeout }: Reported): Promise<void> {
  const { taskIds: ids, taskCount } = queued;
  for (const id of ids) print(cli, `task/${id}`);
  if (taskCount > ids.length) say(cli, `and ${taskCount - ids.length} more tasks`);
  if (wait) await followTasks({ cli, client, ids, withinMs: timeout });
}
