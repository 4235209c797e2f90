import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { OpenTask } from '../../records/open-task.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import { operationOf } from '../operations/index.ts';

/**
 * Why a due task has nothing left to do; null if it does. It is then canceled, without an error. `open`: the open tasks of the
 * deployment in order; only read for a scheduled change.
 */
export function whyMoot(
  { id, operation, change }: Pick<TaskRecord, 'id' | 'operation' | 'change'>,
  deployment: Pick<DeploymentRecord, 'enabled' | 'deleting' | 'revision_id'>,
  open: readonly Behind[],
): string | null {
  const { effect, refusal, nothingToDo } = operationOf(operation);
  if (!change) return nothingToDo(deployment);
  // A scheduled removal runs in any case; tasks after it then have nothing to do.
  if (effect !== 'removes' && isOvertaken(id, open)) return 'The deployment was changed after the time of this change';
  // A scheduled change is accepted in any state; the state at its start decides.
  return refusal(deployment, true);
}

type Behind = Pick<OpenTask, 'id' | 'effect' | 'is_scheduled'>;

/** A later change that was already made takes precedence. */
const isOvertaken = (id: string, open: readonly Behind[]): boolean =>
  open
    .slice(open.findIndex((task) => task.id === id) + 1)
    .some(({ effect, is_scheduled }) => !is_scheduled && effect !== 'repeats');
