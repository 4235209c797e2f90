import { type Client, waitForTask } from '@berth/client';
import { type Cli, say } from '../../terminal/cli.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { harmless } from '../../output/harmless.ts';
import { requireDone } from './task-outcome.ts';

interface FollowTask {
  cli: Cli;
  client: Client;
  id: string;
  withinMs: number | undefined;
}

/**
 * Shows the log of a task until it ends, and fails unless it is done. The first Ctrl-C cancels the task, the second one leaves it
 * running.
 */
export async function followTask({ cli, client, id, withinMs = 600_000 }: FollowTask): Promise<void> {
  const leaving = new AbortController();
  let isCancelling = false;
  const stopListening = cli.onInterrupt(() => {
    if (isCancelling) return leaving.abort();
    isCancelling = true;
    say(cli, 'cancelling; Ctrl-C once more leaves the task running');
    void client.deploymentTasks.cancel({ id }).then((answer) => {
      if (!answer.ok) say(cli, `it cannot be cancelled: ${answer.problem.detail}`);
    });
  });
  say(cli, `following task ${id}; Ctrl-C cancels it`);
  try {
    const onLine = (line: string): void => say(cli, harmless(line));
    requireDone(await waitForTask(client, id, { withinMs, signal: leaving.signal, onLine }));
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    throw new CliFailure('cancelled', `task ${id} goes on: berth logs ${id} -f`);
  } finally {
    stopListening();
  }
}
