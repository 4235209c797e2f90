import type { Client } from '@berth/client';
import { type Cli, say } from '../../terminal/cli.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { harmless } from '../../text/harmless.ts';
import { waitForDone } from './wait-for-done.ts';

interface FollowTasks {
  cli: Cli;
  client: Pick<Client, 'deploymentTasks'>;
  /** In the order in which they were queued. */
  ids: readonly string[];
  withinMs: number | undefined;
  /** Somebody else may have queued them: Ctrl-C leaves them running. */
  areForeign?: true;
}

/**
 * Shows the logs of tasks until they have ended, and fails at the first one that is not done. The first Ctrl-C cancels those that
 * have not ended, the second one leaves them running.
 */
export async function followTasks({ cli, client, ids, withinMs = 600_000, areForeign }: FollowTasks): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  const leaving = new AbortController();
  const open = [...ids];
  const asked = new Set<string>();
  let isCancelling = areForeign ?? false;
  const stopListening = cli.onInterrupt(() => {
    if (isCancelling) return leaving.abort();
    isCancelling = true;
    say(cli, 'cancelling; Ctrl-C once more leaves what still runs');
    // A second Ctrl-C drops the cancellations that have not been requested yet.
    void cancelAll(cli, client, { ids: open, asked, signal: leaving.signal }).catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error;
    });
  });
  const onLine = (line: string): void => say(cli, harmless(line));
  try {
    for (const id of ids) {
      say(cli, `following task ${id}; Ctrl-C ${areForeign ? 'leaves it running' : 'cancels it'}`);
      const left = Math.max(0, Math.ceil(giveUpAt - performance.now()));
      await waitForDone(client, id, { withinMs: left, signal: leaving.signal, onLine });
      open.shift();
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    const [id = ''] = open;
    const state = asked.has(id) ? 'was asked to stop, and has not ended' : 'goes on';
    throw new CliFailure('cancelled', `task ${id} ${state}: berth logs ${id} -f`);
  } finally {
    stopListening();
  }
}

/** Begins with the last task, so that a later one does not start when an earlier one ends. */
async function cancelAll(
  cli: Cli,
  { deploymentTasks }: FollowTasks['client'],
  { ids, asked, signal }: { ids: readonly string[]; asked: Set<string>; signal: AbortSignal },
): Promise<void> {
  for (const id of ids.toReversed()) {
    signal.throwIfAborted();
    const answer = await deploymentTasks.cancel({ id }, { signal });
    if (answer.ok) asked.add(id);
    else say(cli, `task ${id} cannot be cancelled: ${answer.problem.detail}`);
  }
}
