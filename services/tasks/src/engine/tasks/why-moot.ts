import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { OpenTask } from '../../records/open-task.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import { variantOf } from '../../records/variant.ts';
import { operations } from '../operations/index.ts';

/**
 * Why a task whose turn has come has nothing left to do; null if it has something. It is then canceled, without an error.
 * `open`: the open tasks of the deployment, in their order; only read for a scheduled change.
 */
export function whyMoot(
  { id, operation, change }: Pick<TaskRecord, 'id' | 'operation' | 'change'>,
  deployment: Pick<DeploymentRecord, 'enabled' | 'deleting' | 'revision_id'>,
  open: readonly Behind[],
): string | null {
  const { refusal, nothingToDo } = operations[variantOf(operation)];
  if (!change) return nothingToDo(deployment);
  // A scheduled Uninstall still runs; the tasks after it then have nothing to do.
  if (!('Uninstall' in operation) && isOvertaken(id, open))
    return 'The deployment was changed after the time of this change';
  // A scheduled change is accepted in any state; the state at its start decides.
  return refusal(deployment, true);
}

type Behind = Pick<OpenTask, 'id' | 'variant' | 'is_scheduled'>;

/** A change that was requested later and made already is what the deployment wants. */
const isOvertaken = (id: string, open: readonly Behind[]): boolean =>
  open
    .slice(open.findIndex((task) => task.id === id) + 1)
    .some(({ variant, is_scheduled }) => !is_scheduled && variant !== 'Reinstall');
