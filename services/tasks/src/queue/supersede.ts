import { Bug } from '@berth/contracts/errors';
import { taskCreatorOrOwner } from '@berth/contracts/access/rules';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { afterEnd } from '../engine/tasks/after-end.ts';
import { supersedable, supersededBy } from '../engine/tasks/superseded.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { Origin } from '../records/new-task.ts';
import { scopeOfTask } from './scope-of-task.ts';
import type { TaskRecord } from '../records/task-record.ts';
import type { WritingStore } from '../store/store.ts';

/** Throws if the caller may not cancel the task; null for changes whose rule is at least as strict. */
export type MayCancel = (task: TaskRecord, deployment: DeploymentRecord) => void;

export const mayCancelBy =
  ({ permit }: Pick<HandlerContext, 'permit'>): MayCancel =>
  (task, deployment) =>
    void permit(scopeOfTask(task, deployment), taskCreatorOrOwner);

interface Superseding {
  /** The task that takes its place. */
  by: Pick<TaskRecord, 'id'>;
  origin: Origin;
  mayCancel: MayCancel | null;
}

/**
 * Ends the started task of the deployment if it only awaits readiness, so that the task behind it may start at once; its runner
 * learns from its next heartbeat that the claim is gone. Returns the deployment as it is then. The caller holds its lock.
 */
export async function supersede(
  store: WritingStore,
  deployment: DeploymentRecord,
  { by, origin, mayCancel }: Superseding,
): Promise<DeploymentRecord> {
  const open = supersedable(await store.tasks.open(deployment.id));
  const task = open && (await store.tasks.lock(open.id));
  // Heartbeats change the task without the lock of the deployment.
  if (task?.status !== 'Started' || !task.awaits_readiness) return deployment;
  mayCancel?.(task, deployment);

  const { acting_user_id: user_id, acting_deployment_id: deployment_id } = origin;
  const requested = await store.taskChanges.requestCancel(task.id, {
    user_id,
    deployment_id,
    reason: supersededBy(by.id),
  });
  // A cancellation that was requested before keeps its reason.
  const ending = { outcome: 'Canceled' as const, reason: requested.cancel_reason };
  const ended = await store.taskChanges.end(task, {
    status: ending.outcome,
    reason: ending.reason,
    acknowledges: false,
  });
  if (!ended) throw new Bug('A started task did not end under its lock');
  return store.deploymentChanges.saveState(afterEnd(deployment, ended, ending, false));
}
