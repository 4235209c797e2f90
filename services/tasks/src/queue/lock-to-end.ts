import type { DeploymentRepository } from '../store/deployments/deployment-repository.ts';
import type { ProjectedCluster, ProjectionRepository } from '../store/projection-repository.ts';
import type { TaskRepository } from '../store/tasks/task-repository.ts';
import { holdTask, type LockedTask } from './lock-task.ts';

/** A task that is about to end. */
export interface EndingTask extends LockedTask {
  /** The other cluster to which the deployment returns if the task is canceled. */
  cluster: ProjectedCluster | null;
}

export interface LockedToEnd {
  tasks: Pick<TaskRepository, 'find' | 'lock' | 'clusterToReturnTo'>;
  deployments: Pick<DeploymentRepository, 'hold' | 'holdWithDependents'>;
  projected: Pick<ProjectionRepository, 'holdCluster'>;
}

/** The cluster before the deployment, as a change of the cluster locks them. */
export async function lockToEnd(store: LockedToEnd, id: string, isDone = false): Promise<EndingTask | null> {
  if (isDone) await store.deployments.holdWithDependents(id);
  const target = isDone ? null : await store.tasks.clusterToReturnTo(id);
  const cluster = target === null ? null : await store.projected.holdCluster(target);
  const locked = await holdTask(store, id);
  return locked && { ...locked, cluster };
}
