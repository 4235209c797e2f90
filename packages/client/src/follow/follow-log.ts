import { ProblemError } from '../http/answer.ts';
import type { Client } from '../api/client.ts';
import { hasEnded } from './has-ended.ts';
import { passing } from '../http/passing.ts';
import { pause } from '../http/pause.ts';

const never = new AbortController().signal;
const pauseMs = 1_000;

/**
 * The lines of the log of a task until it ends, each once: if the connection ends before the task, the log is read again
 * after the lines that were seen. Throws `ProblemError`.
 */
export async function* followLog(
  { deploymentTasks }: Pick<Client, 'deploymentTasks'>,
  id: string,
  { signal = never }: { signal?: AbortSignal } = {},
): AsyncGenerator<string> {
  for (let seen = 0; ; ) {
    const log = await deploymentTasks.log({ id, query: { follow: true } }, { signal });
    if (!log.ok && !passing.has(log.problem.code)) throw new ProblemError(log.problem);
    if (log.ok) {
      try {
        let number = 0;
        for await (const line of log.value.endedLines()) {
          number += 1;
          if (number <= seen) continue;
          seen = number;
          yield line;
        }
      } catch {
        signal.throwIfAborted();
      }
      const task = await deploymentTasks.get({ id }, { signal });
      if (task.ok && hasEnded(task.value)) return;
      if (!task.ok && !passing.has(task.problem.code)) throw new ProblemError(task.problem);
    }
    await pause(pauseMs, signal);
  }
}
