import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { DeployRun, TaskRun } from '../../records/task-run.ts';
import { variantOf } from '../../records/variant.ts';
import { after } from '../deployments/lifecycle.ts';
import type { Start, Startable } from '../operations/operation.ts';
import { operations } from '../operations/index.ts';

/** The run of a task, once all tasks before it are over. */
export const startOf = (task: Startable, deployment: DeploymentRecord, revision: DeployRun | null): Start =>
  operations[variantOf(task.operation)].runAtStart(task, deployment, revision);

/** The deployment while the task runs. */
export function whileRunning(
  deployment: DeploymentRecord,
  { operation }: Pick<TaskRecord, 'operation'>,
  run: TaskRun,
): DeploymentRecord {
  const { startEvent } = operations[variantOf(operation)];
  return {
    ...(startEvent === null ? deployment : after(deployment, startEvent)),
    // From the start on there may be a release, even if the task fails.
    ...(run.action === 'deploy' && { installed_cluster_id: run.cluster_id, installed_namespace: run.namespace }),
  };
}
