import type { Client } from '@berth/client';
import type { StepResult } from '../../sets/apply/apply-set.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { waitForDone } from '../tasks/wait-for-done.ts';

interface Waiting {
  timeout: number;
  signal: AbortSignal;
}

/** Waits for the tasks that a set queued. A row whose task is not done has failed. Ctrl-C leaves the tasks running. */
export async function waitForResults(
  cli: Cli,
  client: Client,
  results: readonly StepResult[],
  { timeout, signal }: Waiting,
): Promise<StepResult[]> {
  const giveUpAt = performance.now() + timeout;
  const interrupted = new AbortController();
  const stopListening = cli.onInterrupt(() => interrupted.abort());
  const either = AbortSignal.any([signal, interrupted.signal]);
  const ended: StepResult[] = [];
  try {
    for (const result of results) ended.push(await waitForOne(result));
  } finally {
    stopListening();
  }
  return ended;

  async function waitForOne(result: StepResult): Promise<StepResult> {
    let open: string | undefined;
    try {
      for (const id of result.taskIds) {
        open = id;
        const withinMs = Math.max(0, Math.ceil(giveUpAt - performance.now()));
        await waitForDone(client, id, { withinMs, signal: either });
        say(cli, `${result.step.key}: task ${id} is done`);
      }
      return result;
    } catch (cause) {
      const goesOn = new CliFailure('cancelled', `task ${open} goes on: berth logs ${open} -f`, { cause });
      return { ...result, outcome: 'failed', error: either.aborted ? goesOn : cause };
    }
  }
}
