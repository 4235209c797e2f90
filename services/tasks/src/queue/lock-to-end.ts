import type { DeploymentRepository } from '../store/deployments/deployment-repository.ts';
import type { ProjectedCluster, ProjectionRepository } from '../store/projection-repository.ts';
import type { TaskRepository } from '../store/tasks/task-repository.ts';
import { holdTask, type LockedTask } from './lock-task.ts';

/** A task that is about to end. */
export interface EndingTask extends LockedTask {
  /** The cluster to which the deployment returns if the task is canceled, if it is another one. */
  cluster: ProjectedCluster | null;
}

export interface LockedToEnd {
  tasks: Pick<TaskRepository, 'find' | 'lock' | 'clusterToReturnTo'>;
  deployments: Pick<DeploymentRepository, 'hold' | 'holdWithDependents'>;
  projected: Pick<ProjectionRepository, 'holdCluster'>;
}

/** The cluster is locked before the deployment, in the same order as in changes of the cluster. */
export async function lockToEnd(store: LockedToEnd, id: string, isDone = false): Promise<EndingTask | null> {
  if (isDone) await store.deployments.holdWithDependents(id);
  const target = isDone ? null : await store.tasks.clusterToReturnTo(id);
  const cluster = target === null ? null : await store.projected.holdCluster(target);
  const locked = await holdTask(store, id);
  return locked && { ...locked, cluster };
}
