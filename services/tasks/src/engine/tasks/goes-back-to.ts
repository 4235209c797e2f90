import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord, Undo } from '../../records/task-record.ts';
import { operationOf } from '../operations/index.ts';

/**
 * The place and state to which a canceled move returns the deployment. Null for other operations, and if something may have been
 * removed already (Specification, "Order of tasks"): a runner counts the attempt before it removes anything.
 */
export function goesBackTo({ undo, helm_fence, first_attempted_at }: Undone): Undo | null {
  if (undo === null || helm_fence > 0) return null;
  return first_attempted_at === null || undo.before ? undo : null;
}

export type Undone = Pick<TaskRecord, 'undo' | 'helm_fence' | 'first_attempted_at'>;

/** Recorded when a move starts, so that its cancellation can restore it; null for other operations. */
export function undoAtStart(
  { operation, undo }: Pick<TaskRecord, 'operation' | 'undo'>,
  { name, cluster_id, env_id, namespace, state, reason }: DeploymentRecord,
): Undo | null {
  if (operationOf(operation).effect !== 'moves') return null;
  return { ...(undo ?? { name, cluster_id, env_id, namespace }), before: { state, reason } };
}
