import type { TaskRecord } from '../../records/task-record.ts';

/**
 * The standing of a claim when its outcome is reported. `acknowledged`: its outcome was recorded before, so a repeat
 * changes nothing and is not an error. `lost`: it is not the latest claim, or the task is over without it.
 */
export function standingOf(
  { fence, status, acknowledged_fence }: Pick<TaskRecord, 'fence' | 'status' | 'acknowledged_fence'>,
  reported: number,
): 'current' | 'acknowledged' | 'lost' {
  if (fence !== reported) return 'lost';
  if (acknowledged_fence === reported) return 'acknowledged';
  return status === 'Started' ? 'current' : 'lost';
}
