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

/** The deployment after a task ended. `isFollowed`: a task that deploys comes next. */
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

/** Undoes the start of a Recreate that removed nothing. The caller restores the place. */
function goneBack(deployment: DeploymentRecord, task: Undone): DeploymentRecord | null {
  const before = goesBackTo(task)?.before;
  return before ? { ...deployment, ...before } : null;
}

/** Only its own task ends a deletion; earlier tasks do not. */
const withoutDeletion = (deployment: DeploymentRecord, task: Pick<TaskRecord, 'deletes_deployment'>) =>
  task.deletes_deployment ? { ...deployment, deleting: false } : deployment;

const stopped = (variant: Variant, reason: string | null): string =>
  `${variant} was canceled while it ran${reason === null ? '' : `: ${reason}`}. Retry it, or change the deployment`;

/**
 * The deployment after a pending task was canceled, whose earlier claim may have left a transient state. `others`: the tasks that
 * stay open; if any of them has started, it sets the state when it ends, and one that deploys follows a Recreate that is done.
 */
export function afterCancelPending(
  deployment: DeploymentRecord,
  task: Pick<OpenTask, 'variant' | 'deletes_deployment'> & Undone,
  others: readonly Pick<OpenTask, 'first_attempted_at' | 'deploys'>[],
): DeploymentRecord {
  const { variant } = task;
  const kept = withoutDeletion(deployment, task);
  if (others.some(({ first_attempted_at }) => first_attempted_at !== null) || operations[variant].startEvent === null)
    return kept;
  // Not `attempts`: a task that was handed back may have none.
  if (task.first_attempted_at !== null) {
    const begun = `${variant} was canceled after it had begun: retry it`;
    return goneBack(kept, task) ?? after(kept, 'task canceled after its start', begun);
  }
  if (kept.state === 'Renaming' && !others.some(({ deploys }) => deploys))
    return after(kept, 'release removed, none follows', notInstalledAgain);
  return kept;
}

/**
 * The deployment after a task that has nothing left to do. It changes only if an earlier claim of the task, or the Recreate
 * before it, left a transient state that no other task would end.
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
