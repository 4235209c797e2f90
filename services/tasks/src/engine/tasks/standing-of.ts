import type { TaskRecord } from '../../records/task-record.ts';

/**
 * Whether a claim may still report its outcome. `acknowledged`: this outcome was recorded before, so the repeat is ignored.
 * `lost`: a later claim exists, or the task ended otherwise.
 */
export function standingOf(
  { fence, status, acknowledged_fence }: Pick<TaskRecord, 'fence' | 'status' | 'acknowledged_fence'>,
  reported: number,
): 'current' | 'acknowledged' | 'lost' {
  if (fence !== reported) return 'lost';
  if (acknowledged_fence === reported) return 'acknowledged';
  return status === 'Started' ? 'current' : 'lost';
}
