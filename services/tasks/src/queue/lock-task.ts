import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { WritingStore } from '../store/store.ts';
import type { TaskRecord } from '../records/task-record.ts';

/** A task whose deployment nobody else changes until the transaction ends. */
export interface LockedTask {
  task: TaskRecord;
  /** Null where it was deleted; its tasks are all over then. */
  deployment: DeploymentRecord | null;
}

/**
 * First the deployment, then the task, as everywhere: two that lock in different order would wait for each other. The row of the
 * task too, since heartbeats change it without the deployment.
 */
export async function lockTask(
  { tasks, deployments }: Pick<WritingStore, 'tasks' | 'deployments'>,
  id: string,
): Promise<LockedTask | null> {
  const found = await tasks.find(id, 'all');
  if (!found) return null;
  const deployment = await deployments.lock(found.deployment_id);
  const task = await tasks.lock(id);
  return task && { task, deployment };
}
