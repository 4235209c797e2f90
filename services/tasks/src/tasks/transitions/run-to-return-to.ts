import { named } from '@berth/contracts/errors';
import { operationOf } from '../../engine/operations/index.ts';
import { conflict, unfit } from '../../errors/refuse.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { DeployRun } from '../../records/task-run.ts';
import { variantOf } from '../../records/variant.ts';

export type EarlierTask = Pick<TaskRecord, 'deployment_id' | 'operation' | 'status' | 'run'>;

const path = 'body.task_id';

/** The run of an earlier task; throws if a rollback cannot return to it. Null means that the caller does not see the task. */
export function runToReturnTo({ id }: { id: string }, task: EarlierTask | null): DeployRun {
  const { deployment_id, operation, status, run } = named(task, path, 'deployment task');
  if (deployment_id !== id) throw unfit(path, 'is a task of another deployment');
  if (status !== 'Done') throw conflict(`The task is ${status}; a rollback returns to one that is Done`);
  if (run?.action === 'deploy') return run;
  const { effect } = operationOf(operation);
  const deployed = effect === 'installs' || effect === 'repeats';
  throw unfit(
    path,
    deployed
      ? 'its inputs are no longer kept'
      : `is a task of the operation ${variantOf(operation)}, which installed nothing`,
  );
}
