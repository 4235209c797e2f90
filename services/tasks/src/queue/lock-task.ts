import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { DeploymentRepository } from '../store/deployments/deployment-repository.ts';
import type { TaskRepository } from '../store/tasks/task-repository.ts';
import type { TaskRecord } from '../records/task-record.ts';

/** A task whose deployment nobody else changes until the transaction ends. */
export interface LockedTask {
  task: TaskRecord;
  /** Null if it was deleted; all its tasks have ended then. */
  deployment: DeploymentRecord | null;
}

/**
 * Lock the deployment before the task, as everywhere: different orders deadlock. Lock the task's row too, since heartbeats
 * change it without the deployment.
 */
export const lockTask = (store: Repositories<'lock'>, id: string) => locked(store, id, store.deployments.lock);

/** The same with the weaker lock, for work of the platform itself. */
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
