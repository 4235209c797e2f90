import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { DeploymentRepository } from '../store/deployments/deployment-repository.ts';
import type { TaskRepository } from '../store/tasks/task-repository.ts';
import type { TaskRecord } from '../records/task-record.ts';

/** A task with its deployment, both locked until the transaction ends. */
export interface LockedTask {
  task: TaskRecord;
  /** Null if the deployment was deleted; all its tasks have ended then. */
  deployment: DeploymentRecord | null;
}

/**
 * The deployment is locked before the task, as everywhere, to avoid deadlocks. The task's row needs its own lock, since
 * heartbeats change it without locking the deployment.
 */
export const lockTask = (store: Repositories<'lock'>, id: string) => locked(store, id, store.deployments.lock);

/** The same with the weaker lock, for work that nobody requested. */
export const holdTask = (store: Repositories<'hold'>, id: string) => locked(store, id, store.deployments.hold);

interface Repositories<How extends 'lock' | 'hold'> {
  tasks: Pick<TaskRepository, 'find' | 'lock'>;
  deployments: Pick<DeploymentRepository, How>;
}

async function locked(
  { tasks }: Pick<Repositories<never>, 'tasks'>,
  id: string,
  deploymentOf: DeploymentRepository['lock'],
): Promise<LockedTask | null> {
  const found = await tasks.find(id, 'all');
  if (!found) return null;
  const deployment = await deploymentOf(found.deployment_id);
  const task = await tasks.lock(id);
  return task && { task, deployment };
}
