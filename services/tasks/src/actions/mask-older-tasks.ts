import { AppError } from '@berth/contracts/errors';
import { needsOf } from '../engine/operations/index.ts';
import { withBody } from '../engine/operations/invoke-action.ts';
import type { InvokedAction } from '../engine/operations/operation.ts';
import type { TaskRecord } from '../records/task-record.ts';
import { missingKeys } from '../secrets/missing-keys.ts';
import { sealInputs } from '../secrets/sealed-inputs.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
import type { InTransaction, WritingStore } from '../store/store.ts';
import { findAction } from './find-action.ts';
import { type HiddenInputs, hideAll, hideInputs } from './hide-inputs.ts';

export interface MaskOlderDeps {
  inTransaction: InTransaction;
  secretKeys: SecretKeys;
}

/**
 * Masks the sensitive inputs in tasks of the previous version, which stored them in plain text. Ended tasks lose them; in open
 * tasks they are sealed. Each task has its own transaction, which thus never waits for a second lock.
 */
export const maskOlderTasks =
  ({ inTransaction, secretKeys }: MaskOlderDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    for (let isMore = true; isMore && !signal.aborted; ) {
      isMore = await inTransaction(async (store) => {
        if ((await missingKeys(store, secretKeys)).length > 0) return false;
        const task = await store.taskInputs.lockUnmasked();
        if (task) await maskTask(store, secretKeys, task);
        return task !== null;
      });
    }
  };

async function maskTask(store: WritingStore, keys: SecretKeys, task: TaskRecord): Promise<void> {
  const { action: invoked } = needsOf(task.operation);
  const { shown, hidden } = invoked ? await hiddenIn(store, invoked) : { shown: null, hidden: {} };
  const names = Object.keys(hidden);
  await store.taskInputsChanges.saveMasked(task.id, {
    operation: invoked ? withBody(invoked, shown) : task.operation,
    run: task.run?.action === 'invoke' ? { ...task.run, body: shown } : task.run,
    hidden_inputs: names,
  });
  if (names.length > 0 && task.finished_at === null) {
    await store.taskInputsChanges.insert(sealInputs(keys, { task_id: task.id }, hidden));
  }
}

async function hiddenIn({ projected }: WritingStore, invoked: InvokedAction): Promise<HiddenInputs> {
  try {
    const { action } = await findAction(projected, invoked);
    return hideInputs(action.ui_schema, invoked.body);
  } catch (error) {
    if (error instanceof AppError) return hideAll(invoked.body);
    throw error;
  }
}
