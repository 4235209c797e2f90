import type { TaskOutcome } from '@berth/shared/contracts/runner-tasks';
import { AppError } from '@berth/shared/errors';
import type { WritingStore } from '../store.ts';
import type { Ending } from './after-end.ts';
import { endTask } from './end-task.ts';
import { lockTask } from './lock-task.ts';
import { retryDelayMs } from './retry-delay.ts';
import type { TaskRecord } from './task-record.ts';

export interface Finish {
  task_id: string;
  fence: number;
  outcome: TaskOutcome;
  reason: string | null;
}

export interface RetryPolicy {
  maxAttempts: number;
  /** 0–1, apart for tasks that failed together. */
  spread: () => number;
}

export const lostClaim = (): AppError => new AppError('conflict', 'The task was taken over by another runner');

/** Takes the result of a claim, once: a repetition is no error, another claim's result is. */
export async function finishTask(store: WritingStore, finish: Finish, policy: RetryPolicy): Promise<void> {
  // Who uses a deployment is locked before it, as by a change of the user: the other way they would wait for each other.
  if (finish.outcome === 'Done') await store.deployments.lockUsersOf(finish.task_id);
  const locked = await lockTask(store, finish.task_id);
  if (locked?.task.fence !== finish.fence) throw lostClaim();
  const { task } = locked;
  if (task.settled_fence === finish.fence) return;
  if (task.status !== 'Started') throw lostClaim();

  const ending = endingOf(task, finish, policy);
  const taken =
    ending === null
      ? await store.taskChanges.putBack(task, {
          reason: finish.reason,
          ...(finish.outcome === 'HandedBack'
            ? { pauseMs: 0, counts: false }
            : { pauseMs: retryDelayMs(task.attempts, policy.spread()), counts: true }),
          settles: true,
        })
      : await endTask(store, locked, ending, true);
  if (!taken) throw lostClaim();
}

/** Null where the task is to be tried again. */
function endingOf(task: TaskRecord, { outcome, reason }: Finish, { maxAttempts }: RetryPolicy): Ending | null {
  if (outcome === 'Canceled') return { outcome, reason: task.cancel_reason ?? reason };
  if (outcome !== 'Retry' && outcome !== 'HandedBack') return { outcome, reason };
  if (task.cancel_requested_at !== null) return { outcome: 'Canceled', reason: task.cancel_reason ?? reason };
  // A rollout of the runners is no failure of the task.
  if (outcome === 'HandedBack' || task.attempts < maxAttempts) return null;
  return { outcome: 'Failed', reason: `${reason ?? 'It did not work'} (attempt ${task.attempts} of ${maxAttempts})` };
}
