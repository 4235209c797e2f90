import { type Client, type WaitForTask, WaitedTooLong, waitForTask } from '@berth/client';
import { CliFailure } from '../../failure/cli-failure.ts';
import { requireDone } from './require-done.ts';

/** Waits until a task has ended. Fails if the task is not done then, or takes too long. */
export async function waitForDone(
  client: Pick<Client, 'deploymentTasks'>,
  id: string,
  options: WaitForTask,
): Promise<void> {
  const task = await waitForTask(client, id, options).catch((cause: unknown) => {
    if (!(cause instanceof WaitedTooLong)) throw cause;
    const words = `task ${id} did not end within the time of --timeout, and goes on: berth logs ${id} -f`;
    throw new CliFailure('timedOut', words, { cause });
  });
  requireDone(task);
}
