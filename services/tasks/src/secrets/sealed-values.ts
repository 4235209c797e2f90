import { randomBytes } from 'node:crypto';
import { seal, unseal } from '@berth/db/sealing/seal';
import type { WrappedKey } from '../records/secret-record.ts';
import type { SecretKeys } from './secret-keys.ts';

/** The configuration lacks the key under which a row was sealed. */
export class KeyIsMissing extends Error {
  override readonly name = 'KeyIsMissing';
}

const contentsOf = (row: string): string => `contents of ${row}`;
const keyOf = (row: string, keyId: string): string => `data key of ${row}, ${keyId}`;

export interface SealedValue extends WrappedKey {
  sealed: Buffer;
}

/** Seals under a new data key, which is wrapped under the configured current key. `row` binds the sealed value to its row. */
export function sealValue(keys: SecretKeys, row: string, value: string): SealedValue {
  const dataKey = randomBytes(32);
  return { ...wrap(keys, row, dataKey), sealed: seal(dataKey, contentsOf(row), value) };
}

/** Throws if the row was changed outside Berth, and `KeyIsMissing` if its key is not configured. */
export const openValue = (keys: SecretKeys, row: string, { sealed, ...wrapped }: SealedValue): string =>
  unseal(unwrap(keys, row, wrapped), contentsOf(row), sealed).toString('utf8');

/** The data key of the row, wrapped again under the current key. */
export const rewrapKey = (keys: SecretKeys, row: string, wrapped: WrappedKey): WrappedKey =>
  wrap(keys, row, unwrap(keys, row, wrapped));

function wrap({ current }: SecretKeys, row: string, dataKey: Buffer): WrappedKey {
  return { key_id: current.id, wrapped_key: seal(current.wrapping, keyOf(row, current.id), dataKey) };
}

function unwrap(keys: SecretKeys, row: string, { key_id, wrapped_key }: WrappedKey): Buffer {
  const wrapping = keys.wrappingKey(key_id);
  if (!wrapping) throw new KeyIsMissing(`There is no key ${key_id}`);
  return unseal(wrapping, keyOf(row, key_id), wrapped_key);
}
