import { operationOf } from '../engine/operations/index.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { NewTask } from '../records/new-task.ts';
import type { DeployRun } from '../records/task-run.ts';
import type { DryRunRecord } from './dry-run-record.ts';

/** The dry runs for tasks: one for each place from which a release is removed or at which one is installed. */
export const dryRunsOf = (
  tasks: readonly Pick<NewTask, 'operation' | 'run'>[],
  deployment: DeploymentRecord,
  revision: DeployRun | null,
): DryRunRecord[] =>
  tasks.flatMap((task) => {
    const compared = operationOf(task.operation).dryRun(task, deployment);
    return compared ? [{ ...compared, deployment_id: deployment.id, revision }] : [];
  });
