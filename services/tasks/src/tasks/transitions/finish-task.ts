import type { TaskOutcome } from '@berth/shared/contracts/resources/runner-tasks';
import { AppError } from '@berth/shared/errors';
import type { WritingStore } from '../../store/store.ts';
import { afterClaim, type RetryPolicy } from '../../engine/tasks/after-claim.ts';
import { operations } from '../../engine/operations/index.ts';
import { variantOf } from '../../records/variant.ts';
import { endTask } from './end-task.ts';
import { type LockedTask, lockTask } from '../../queue/lock-task.ts';

export interface Finish {
  task_id: string;
  fence: number;
  outcome: TaskOutcome;
  reason: string | null;
}

export const lostClaim = (): AppError => new AppError('conflict', 'The task was taken over by another runner');

/** Takes the result of a claim, once: a repetition is no error, another claim's result is. */
export async function finishTask(store: WritingStore, finish: Finish, policy: RetryPolicy): Promise<void> {
  // Who uses a deployment is locked before it, as by a change of the user: the other way they would wait for each other.
  if (finish.outcome === 'Done') await store.deployments.lockDependentsOf(finish.task_id);
  const locked = await lockTask(store, finish.task_id);
  if (locked?.task.fence !== finish.fence) throw lostClaim();
  const { task } = locked;
  if (task.acknowledged_fence === finish.fence) return;
  if (task.status !== 'Started') throw lostClaim();

  if (!(await endClaim(store, locked, finish, policy))) throw lostClaim();
}

export interface ClaimEnd {
  /** `Silent`: no runner reported an outcome. */
  outcome: TaskOutcome | 'Silent';
  reason: string | null;
}

/** Ends the task, or gives it back to the queue. The caller holds its lock. False when the claim is not the latest one any more. */
export async function endClaim(
  store: WritingStore,
  locked: LockedTask,
  { outcome, reason }: ClaimEnd,
  policy: RetryPolicy,
): Promise<boolean> {
  const { task } = locked;
  const helmBegan = task.helm_fence === task.fence;
  const isCanceled = task.cancel_requested_at !== null;
  const { isRepeatable } = operations[variantOf(task.operation)];
  const next = afterClaim({ ...task, outcome, helmBegan, isCanceled, isRepeatable }, policy);
  const acknowledges = outcome !== 'Silent';
  if (!('ends' in next)) return (await store.taskChanges.putBack(task, { ...next, reason, acknowledges })) !== null;

  const { ends, because } = next;
  const words = because === undefined ? reason : `${reason ?? 'It did not work'} (${because})`;
  const ending = { outcome: ends, reason: ends === 'Canceled' ? (task.cancel_reason ?? reason) : words };
  return endTask(store, locked, ending, acknowledges);
}
