import { JsonObject } from '@berth/contracts/fields/fields';
import { AppError } from '@berth/contracts/errors';
import type { ResourceRecord, SealedProps } from '../records/resource-record.ts';
import type { SecretKeys } from './secret-keys.ts';
import type { WrappedKey } from '../records/secret-record.ts';
import { KeyIsMissing, openValue, rewrapKey, sealValue } from './sealed-values.ts';

type Row = Pick<ResourceRecord, 'id' | 'type_id'>;

const rowOf = ({ id, type_id }: Row): string => `resource ${id} of type ${type_id}`;

/** The stored props: sensitive ones separate and sealed. */
export function sealProps(keys: SecretKeys, row: Row, props: JsonObject, sensitive: readonly string[]): SealedProps {
  const hidden = Object.entries(props).filter(([input]) => sensitive.includes(input));
  const shown = Object.entries(props).filter(([input]) => !sensitive.includes(input));
  const none = { key_id: null, wrapped_key: null, sealed_props: null };
  if (hidden.length === 0) return { props: Object.fromEntries(shown), sealed_names: [], ...none };
  const { sealed, key_id, wrapped_key } = sealValue(keys, rowOf(row), JSON.stringify(Object.fromEntries(hidden)));
  return {
    props: Object.fromEntries(shown),
    sealed_names: hidden.map(([input]) => input),
    key_id,
    wrapped_key,
    sealed_props: sealed,
  };
}

/** Opens the sealed props. Throws `unavailable` if the key is missing, `unprocessable` if the row was changed outside Berth. */
export function openProps(keys: SecretKeys, row: ResourceRecord): JsonObject {
  const { key_id, wrapped_key, sealed_props } = row;
  if (key_id === null || wrapped_key === null || sealed_props === null) return {};
  try {
    const text = openValue(keys, rowOf(row), { key_id, wrapped_key, sealed: sealed_props });
    return JsonObject.parse(JSON.parse(text));
  } catch (cause) {
    throw cause instanceof KeyIsMissing
      ? new AppError(
          'unavailable',
          `The sensitive props of ${row.name} are sealed under a key that the service lacks`,
          { cause },
        )
      : new AppError(
          'unprocessable',
          `The sensitive props of ${row.name} cannot be opened: the row was changed outside of Berth`,
          { cause },
        );
  }
}

/** Null if the key is missing, or the row was changed outside Berth. */
export function openedOrNull(keys: SecretKeys, row: ResourceRecord): JsonObject | null {
  try {
    return openProps(keys, row);
  } catch {
    return null;
  }
}

/** The data key of the row, wrapped again under the current key. */
export const rewrapProps = (keys: SecretKeys, row: Row & WrappedKey): WrappedKey => rewrapKey(keys, rowOf(row), row);

/**
 * All texts in a value, for redaction in logs and reasons. Their bytes are bounded where they were stored; a limit of their number
 * would leave out a password behind a long list.
 */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const walk = (each: unknown): void => {
    if (typeof each === 'string') texts.push(each);
    else if (typeof each === 'number') texts.push(String(each));
    else if (typeof each === 'object' && each !== null) Object.values(each).forEach(walk);
  };
  walk(value);
  return texts;
}
