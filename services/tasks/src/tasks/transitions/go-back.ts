import { AppError } from '@berth/contracts/errors';
import { goesBackTo } from '../../engine/tasks/goes-back-to.ts';
import type { EndingTask } from '../../queue/lock-to-end.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord, Undo } from '../../records/task-record.ts';
import type { ProjectedCluster } from '../../store/projection-repository.ts';
import type { WritingStore } from '../../store/store.ts';

/**
 * The place to which the cancellation takes the deployment back; null if it stays, since its release may have been
 * changed already. The env is that of the place now, not that of the time at which the deployment was to leave.
 */
export function placeBefore(task: TaskRecord, deployment: DeploymentRecord, cluster: ProjectedCluster | null) {
  const back = goesBackTo(task);
  if (back === null) return null;
  const isSameCluster = back.cluster_id === deployment.cluster_id;
  return { ...back, env_id: isSameCluster ? deployment.env_id : (cluster?.env_id ?? back.env_id) };
}

/** The deployment at the place before, with those of its tasks that follow it. */
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
 * The same for a task that its runner ended, where nobody is left to be refused: a deployment that cannot go back, because
 * another one has its name or its cluster is going, stays where it wants to be.
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
