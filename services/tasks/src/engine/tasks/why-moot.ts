import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import { variantOf } from '../../records/variant.ts';
import { operations } from '../operations/index.ts';

/** Why a task whose turn has come has nothing to do any more; null where it has. Then it is canceled: nothing is wrong. */
export function whyMoot(
  { operation, change }: Pick<TaskRecord, 'operation' | 'change'>,
  deployment: Pick<DeploymentRecord, 'enabled' | 'deleting' | 'revision_id'>,
): string | null {
  const { refusal, nothingToDo } = operations[variantOf(operation)];
  // A scheduled change is accepted without a look at the state; the state of this moment decides.
  return change ? refusal(deployment, true) : nothingToDo(deployment);
}
