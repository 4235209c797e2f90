import type { BoundTo, SealedContents, WrappedKey } from '../records/secret-record.ts';
import { KeyIsMissing, openValue, rewrapKey, sealValue } from './sealed-values.ts';
import type { SecretKeys } from './secret-keys.ts';

export { KeyIsMissing };

const rowOf = ({ id, env_id }: BoundTo): string => `secret ${id} in env ${env_id}`;

export function sealContents(keys: SecretKeys, row: BoundTo, contents: string): SealedContents {
  const { sealed, ...wrapped } = sealValue(keys, rowOf(row), contents);
  return { ...wrapped, sealed_contents: sealed };
}

/** Throws if the row was changed outside Berth, and `KeyIsMissing` if its key is not configured. */
export const openContents = (keys: SecretKeys, row: BoundTo & SealedContents): string =>
  openValue(keys, rowOf(row), { ...row, sealed: row.sealed_contents });

/** The data key of the row, wrapped again under the current key. */
export const rewrap = (keys: SecretKeys, row: BoundTo & WrappedKey): WrappedKey => rewrapKey(keys, rowOf(row), row);
