import type { OpenTask } from '../../records/open-task.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import { operationOf } from '../operations/index.ts';

/**
 * The open tasks that install at the new place of the deployment; without this move they make no sense (Specification, "Order of
 * tasks"). If the move is no longer open, all open tasks come after it.
 */
export function deploysBehind(
  open: readonly Pick<OpenTask, 'id' | 'status' | 'deploys'>[],
  { id, operation }: Pick<TaskRecord, 'id' | 'operation'>,
): string[] {
  if (operationOf(operation).effect !== 'moves') return [];
  return open
    .slice(open.findIndex((task) => task.id === id) + 1)
    .filter(({ status, deploys }) => status === 'Pending' && deploys)
    .map((task) => task.id);
}
