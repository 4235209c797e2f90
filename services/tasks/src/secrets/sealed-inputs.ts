import { JsonObject } from '@berth/contracts/fields/fields';
import { AppError } from '@berth/contracts/errors';
import type { TaskInputs, WrappedKey } from '../records/secret-record.ts';
import { KeyIsMissing, openValue, rewrapKey, sealValue } from './sealed-values.ts';
import type { SecretKeys } from './secret-keys.ts';

type Row = Pick<TaskInputs, 'task_id'>;

const rowOf = ({ task_id }: Row): string => `inputs of task ${task_id}`;

export function sealInputs(keys: SecretKeys, { task_id }: Row, inputs: JsonObject): TaskInputs {
  const { sealed, ...wrapped } = sealValue(keys, rowOf({ task_id }), JSON.stringify(inputs));
  return { task_id, ...wrapped, sealed_inputs: sealed };
}

/** Throws `unavailable` if the key is missing, `unprocessable` if the row was changed outside Berth. */
export function openInputs(keys: SecretKeys, row: TaskInputs): JsonObject {
  try {
    return JsonObject.parse(JSON.parse(openValue(keys, rowOf(row), { ...row, sealed: row.sealed_inputs })));
  } catch (cause) {
    throw cause instanceof KeyIsMissing
      ? new AppError('unavailable', 'The sensitive inputs are sealed under a key that the service lacks', { cause })
      : new AppError('unprocessable', 'The sensitive inputs cannot be opened: their row was changed outside of Berth', {
          cause,
        });
  }
}

/** The data key of the row, wrapped again under the current key. */
export const rewrapInputs = (keys: SecretKeys, row: Row & WrappedKey): WrappedKey => rewrapKey(keys, rowOf(row), row);
