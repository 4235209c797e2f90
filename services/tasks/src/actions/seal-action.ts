import { randomUUID } from 'node:crypto';
import type { Action } from '@berth/chart-extensions/files/actions';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import { AppError } from '@berth/contracts/errors';
import { isJsonObject } from '@berth/contracts/fields/json';
import { withBody } from '../engine/operations/invoke-action.ts';
import type { InvokedAction } from '../engine/operations/operation.ts';
import type { NewTask } from '../records/new-task.ts';
import type { TaskRecord } from '../records/task-record.ts';
import { refuseWithMissingKeys } from '../secrets/missing-keys.ts';
import { openInputs, sealInputs } from '../secrets/sealed-inputs.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
import type { ReadingStore } from '../store/store.ts';
import { hideInputs, refuseMasks } from './hide-inputs.ts';

export interface SealedAction {
  /** With masks. */
  operation: ReturnType<typeof withBody>;
  sealed: Pick<NewTask, 'id' | 'hidden_inputs' | 'inputs'>;
}

/** The parts of a call that a task stores: the inputs with masks, and the masked values sealed. */
export async function sealAction(
  store: Parameters<typeof refuseWithMissingKeys>[0],
  keys: SecretKeys,
  { action, invoked }: { action: Action; invoked: InvokedAction },
): Promise<SealedAction> {
  refuseMasks(action.ui_schema, invoked.body);
  const { shown, hidden } = hideInputs(action.ui_schema, invoked.body);
  const names = Object.keys(hidden);
  const operation = withBody(invoked, shown);
  if (names.length === 0) return { operation, sealed: {} };
  await refuseWithMissingKeys(store, keys);
  const id = randomUUID();
  return { operation, sealed: { id, hidden_inputs: names, inputs: sealInputs(keys, { task_id: id }, hidden) } };
}

export interface OpenBodyDeps {
  store: Pick<ReadingStore, 'taskInputs'>;
  secretKeys: SecretKeys;
}

/** The body of an open task with the values of its sensitive inputs. */
export async function openBody(
  { store, secretKeys }: OpenBodyDeps,
  { id, hidden_inputs }: Pick<TaskRecord, 'id' | 'hidden_inputs'>,
  body: JsonValue,
): Promise<JsonValue> {
  if (!hidden_inputs?.length || !isJsonObject(body)) return body;
  const row = await store.taskInputs.sealed(id);
  if (!row) throw new AppError('unprocessable', 'The sensitive inputs are gone: they were deleted outside of Berth');
  const opened: JsonObject = openInputs(secretKeys, row);
  return { ...body, ...opened };
}
