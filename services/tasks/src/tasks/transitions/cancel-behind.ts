import type { Canceler } from '../../records/canceler.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import { variantOf } from '../../records/variant.ts';
import type { WritingStore } from '../../store/store.ts';

/** Cancels what is queued behind a move that did not succeed: nothing is installed at the new place. */
export async function cancelBehind(
  { queueChanges }: Pick<WritingStore, 'queueChanges'>,
  { operation }: Pick<TaskRecord, 'operation'>,
  how: 'failed' | 'was canceled',
  behind: readonly string[],
  by: Omit<Canceler, 'reason'>,
): Promise<void> {
  if (behind.length === 0) return;
  await queueChanges.cancelPending(behind, { ...by, reason: `The ${variantOf(operation)} before it ${how}` });
}
