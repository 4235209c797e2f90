import { AppError } from '@berth/contracts/errors';
import { goesBackTo } from '../../engine/tasks/goes-back-to.ts';
import type { EndingTask } from '../../queue/lock-to-end.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord, Undo } from '../../records/task-record.ts';
import type { ProjectedCluster } from '../../store/projection-repository.ts';
import type { WritingStore } from '../../store/store.ts';

/**
 * The place to which a cancellation returns the deployment; null if it stays, because its release may have been changed. The env
 * is the present one of that place, which may have changed since the move was requested.
 */
export function placeBefore(task: TaskRecord, deployment: DeploymentRecord, cluster: ProjectedCluster | null) {
  const back = goesBackTo(task);
  if (back === null) return null;
  const isSameCluster = back.cluster_id === deployment.cluster_id;
  return { ...back, env_id: isSameCluster ? deployment.env_id : (cluster?.env_id ?? back.env_id) };
}

/** The deployment at its earlier place; tasks that follow it move, too. */
export async function goBack(
  store: Pick<WritingStore, 'deploymentChanges' | 'queueChanges'>,
  deployment: DeploymentRecord,
  { name, cluster_id, env_id, namespace }: Undo,
): Promise<DeploymentRecord> {
  const place = { name, cluster_id, env_id, namespace };
  const returned = await store.deploymentChanges.saveWanted({ ...deployment, ...place });
  await store.queueChanges.movePending(returned);
  return returned;
}

/**
 * The same for a task that its runner ended: no caller is left to receive a refusal. If its earlier name or place is taken, or
 * its earlier cluster is being deleted, the deployment keeps the new ones.
 */
export async function goBackIfPossible(
  store: WritingStore,
  { task, deployment, cluster }: EndingTask & { deployment: DeploymentRecord },
): Promise<DeploymentRecord> {
  const back = placeBefore(task, deployment, cluster);
  if (back === null || deployment.deleting) return deployment;
  const isThere = back.cluster_id === deployment.cluster_id || (cluster?.env_id != null && !cluster.is_closed);
  if (!isThere) return deployment;
  return store
    .savepoint((inner) => goBack(inner, deployment, back))
    .catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'conflict') return deployment;
      throw error;
    });
}
