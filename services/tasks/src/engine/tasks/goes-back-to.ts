import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord, Undo } from '../../records/task-record.ts';
import { operationOf } from '../operations/index.ts';

/**
 * What the cancellation of a move takes the deployment back to; null for other operations, and where it may have removed
 * something (Specification, "Order of tasks"). A runner counts the attempt before it removes anything.
 */
export function goesBackTo({ undo, helm_fence, first_attempted_at }: Undone): Undo | null {
  if (undo === null || helm_fence > 0) return null;
  return first_attempted_at === null || undo.before ? undo : null;
}

export type Undone = Pick<TaskRecord, 'undo' | 'helm_fence' | 'first_attempted_at'>;

/** What a move keeps when it starts, to go back to; null for other operations. */
export function undoAtStart(
  { operation, undo }: Pick<TaskRecord, 'operation' | 'undo'>,
  { name, cluster_id, env_id, namespace, state, reason }: DeploymentRecord,
): Undo | null {
  if (operationOf(operation).effect !== 'moves') return null;
  return { ...(undo ?? { name, cluster_id, env_id, namespace }), before: { state, reason } };
}
