import { unwrap } from '../http/answer.ts';
import type { Client, DeploymentTask } from '../api/client.ts';
import { followLog } from './follow-log.ts';
import { hasEnded } from './has-ended.ts';
import { WaitedTooLong, type WaitOptions, waitUntil } from './wait-until.ts';

export interface WaitForTask extends Omit<WaitOptions, 'what'> {
  /** Called for each line of the log, as it is written. */
  onLine?: (line: string) => void;
}

/** Waits until the task is done, failed or canceled. Throws `ProblemError` and `WaitedTooLong`. */
export async function waitForTask(
  client: Pick<Client, 'deploymentTasks'>,
  id: string,
  options: WaitForTask,
): Promise<DeploymentTask> {
  const wait = { ...options, what: `task ${id} to end` };
  if (options.onLine) await reportLines(client, id, { ...wait, onLine: options.onLine });
  return waitUntil(async () => {
    const task = unwrap(await client.deploymentTasks.get({ id }));
    return hasEnded(task) ? task : null;
  }, wait);
}

async function reportLines(
  client: Pick<Client, 'deploymentTasks'>,
  id: string,
  { onLine, ...wait }: WaitOptions & { onLine: (line: string) => void },
): Promise<void> {
  const limit = AbortSignal.timeout(Math.ceil(wait.withinMs));
  const signal = wait.signal ? AbortSignal.any([wait.signal, limit]) : limit;
  try {
    for await (const line of followLog(client, id, { signal })) onLine(line);
  } catch (error) {
    if (limit.aborted && !wait.signal?.aborted) throw new WaitedTooLong(wait);
    throw error;
  }
}
