import type { TaskOutcome } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError } from '@berth/contracts/errors';
import type { WritingStore } from '../../store/store.ts';
import { afterClaim, helmAtEnd, type RetryPolicy } from '../../engine/tasks/after-claim.ts';
import { operations } from '../../engine/operations/index.ts';
import type { EndedClaim } from '../../records/ended-claim.ts';
import { variantOf } from '../../records/variant.ts';
import { standingOf } from '../../engine/tasks/standing-of.ts';
import { endTask } from './end-task.ts';
import { type EndingTask, lockToEnd } from '../../queue/lock-to-end.ts';

export interface Finish {
  task_id: string;
  fence: number;
  outcome: TaskOutcome;
  reason: string | null;
  helm_ended?: boolean | undefined;
}

export const lostClaim = (): AppError => new AppError('conflict', 'The task was taken over by another runner');

/** Records the outcome of a claim once. A repeat changes nothing and succeeds; the outcome of another claim is refused. */
export async function finishTask(store: WritingStore, finish: Finish, policy: RetryPolicy): Promise<EndedClaim | null> {
  const locked = await lockToEnd(store, finish.task_id, finish.outcome === 'Done');
  const standing = locked ? standingOf(locked.task, finish.fence) : 'lost';
  if (standing === 'acknowledged') return null;
  if (!locked || standing === 'lost') throw lostClaim();

  const ended = await endClaim(store, locked, finish, policy);
  if (!ended) throw lostClaim();
  return ended;
}

export interface ClaimEnd {
  /** `Silent`: the lease expired without an outcome. */
  outcome: TaskOutcome | 'Silent';
  reason: string | null;
  /** The runner says so itself. */
  helm_ended?: boolean | undefined;
}

/** Ends the task or puts it back. The caller holds its lock. Null when the claim is no longer the latest one. */
export async function endClaim(
  store: WritingStore,
  locked: EndingTask,
  { outcome, reason, helm_ended = false }: ClaimEnd,
  policy: RetryPolicy,
): Promise<EndedClaim | null> {
  const { task, deployment } = locked;
  const operation = variantOf(task.operation);
  const helmBegan = task.helm_fence === task.fence;
  const isCanceled = task.cancel_requested_at !== null;
  const { isRepeatable, startEvent } = operations[operation];
  const ended = { operation, began: helmBegan, started_at: task.started_at };
  const helm = helmAtEnd({ began: helmBegan, awaits: task.awaits_readiness, saysEnded: helm_ended });
  const claim = { ...task, outcome, helm, isCanceled, isRepeatable };
  const next = afterClaim(claim, policy);
  const acknowledges = outcome !== 'Silent';
  if (!('ends' in next)) {
    const back = await store.taskChanges.putBack(task, { ...next, reason, acknowledges });
    // The deployment no longer waits for a dependency of a run.
    if (back && deployment && deployment.reason !== null && startEvent !== null) {
      await store.deploymentChanges.saveState({ ...deployment, reason: null });
    }
    return back && { ...ended, outcome: 'PutBack' };
  }

  const { ends, because } = next;
  const words = because === undefined ? reason : `${reason ?? 'It failed'} (${because})`;
  const ending = { outcome: ends, reason: ends === 'Canceled' ? (task.cancel_reason ?? reason) : words };
  return (await endTask(store, locked, ending, acknowledges)) ? { ...ended, outcome: ends } : null;
}
