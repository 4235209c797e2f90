import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { OpenTask } from '../../records/open-task.ts';
import { isResting } from '../deployments/resting-reason.ts';
import { type Variant, variantOf } from '../../records/variant.ts';
import { after } from '../deployments/lifecycle.ts';
import { operations } from '../operations/index.ts';
import { notInstalledAgain } from '../operations/recreate.ts';
import { goesBackTo, type Undone } from './goes-back-to.ts';

export interface Ending {
  outcome: 'Done' | 'Failed' | 'Canceled';
  reason: string | null;
}

/** What the end of a task makes of its deployment. `isFollowed`: a task that deploys comes after it. */
export function afterEnd(
  deployment: DeploymentRecord,
  task: Pick<TaskRecord, 'id' | 'operation' | 'deletes_deployment'> & Undone,
  { outcome, reason }: Ending,
  isFollowed: boolean,
): DeploymentRecord {
  const variant = variantOf(task.operation);
  const { startEvent, afterSuccess } = operations[variant];
  if (startEvent === null) return deployment;
  if (outcome === 'Done') return afterSuccess(deployment, task.id, isFollowed);
  const kept = withoutDeletion(deployment, task);
  if (outcome === 'Failed') return after(kept, 'task fails', `${variant} failed: ${reason ?? 'no reason was given'}`);
  return goneBack(kept, task) ?? after(kept, 'task canceled after its start', stopped(variant, reason));
}

/** The deployment as it was before the start of a Recreate that removed nothing; its place is a matter of the caller. */
function goneBack(deployment: DeploymentRecord, task: Undone): DeploymentRecord | null {
  const before = goesBackTo(task)?.before;
  return before ? { ...deployment, ...before } : null;
}

/** A deletion is over with its own task, whatever becomes of those before it. */
const withoutDeletion = (deployment: DeploymentRecord, task: Pick<TaskRecord, 'deletes_deployment'>) =>
  task.deletes_deployment ? { ...deployment, deleting: false } : deployment;

const stopped = (variant: Variant, reason: string | null): string =>
  `${variant} was canceled while it ran${reason === null ? '' : `: ${reason}`}. Retry it, or change the deployment`;

/**
 * In-between states end with the task that made them; this is for one that was canceled before it went on. `others`: the
 * tasks that are still open, of which one that has started, be it before it was put back, made the state and ends it.
 */
export function afterCancelPending(
  deployment: DeploymentRecord,
  task: Pick<OpenTask, 'variant' | 'deletes_deployment'> & Undone,
  others: readonly Pick<OpenTask, 'first_attempted_at'>[],
): DeploymentRecord {
  const { variant } = task;
  const kept = withoutDeletion(deployment, task);
  if (others.some(({ first_attempted_at }) => first_attempted_at !== null) || operations[variant].startEvent === null)
    return kept;
  // Not by its attempts: one that a runner handed back does not count.
  if (task.first_attempted_at !== null) {
    const begun = `${variant} was canceled after it had begun: retry it`;
    return goneBack(kept, task) ?? after(kept, 'task canceled after its start', begun);
  }
  if (kept.state === 'Renaming') return after(kept, 'release removed, none follows', notInstalledAgain);
  return kept;
}

/**
 * The deployment of a task that has nothing left to do. It stays as it is, unless an earlier attempt of the task, or
 * the Recreate before it, left it in between: what would have ended that does not run.
 */
export function afterMoot(
  deployment: DeploymentRecord,
  { operation }: Pick<TaskRecord, 'operation'>,
  why: string,
): DeploymentRecord {
  const { state } = deployment;
  if (isResting(deployment) || state === 'Error') return deployment;
  if (state === 'Renaming') return after(deployment, 'release removed, none follows', notInstalledAgain);
  const begun = `${variantOf(operation)} had begun before it was canceled: ${why}`;
  return after(deployment, 'task canceled after its start', begun);
}
