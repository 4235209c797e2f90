import { randomBytes } from 'node:crypto';
import { seal, unseal } from '@berth/shared/sealing/seal';
import type { BoundTo, SealedContents, WrappedKey } from '../records/secret-record.ts';
import type { SecretKeys } from './secret-keys.ts';

/** The key of the configuration under which a row was sealed is not there. */
export class KeyIsMissing extends Error {
  override readonly name = 'KeyIsMissing';
}

const contentsOf = ({ id, env_id }: BoundTo): string => `contents of secret ${id} in env ${env_id}`;
const keyOf = ({ id, env_id }: BoundTo, keyId: string): string => `data key of secret ${id} in env ${env_id}, ${keyId}`;

/** Seals with a data key of their own, which is wrapped under the current key of the configuration. */
export function sealContents(keys: SecretKeys, row: BoundTo, contents: string): SealedContents {
  const dataKey = randomBytes(32);
  return { ...wrap(keys, row, dataKey), sealed_contents: seal(dataKey, contentsOf(row), contents) };
}

/** Throws where the row was changed outside of Berth, and `KeyIsMissing`. */
export const openContents = (keys: SecretKeys, row: BoundTo & SealedContents): string =>
  unseal(unwrap(keys, row), contentsOf(row), row.sealed_contents).toString('utf8');

/** The same data key under the current key. */
export const rewrap = (keys: SecretKeys, row: BoundTo & WrappedKey): WrappedKey => wrap(keys, row, unwrap(keys, row));

function wrap({ current }: SecretKeys, row: BoundTo, dataKey: Buffer): WrappedKey {
  return { key_id: current.id, wrapped_key: seal(current.wrapping, keyOf(row, current.id), dataKey) };
}

function unwrap(keys: SecretKeys, row: BoundTo & WrappedKey): Buffer {
  const wrapping = keys.wrappingKey(row.key_id);
  if (!wrapping) throw new KeyIsMissing(`There is no key ${row.key_id}`);
  return unseal(wrapping, keyOf(row, row.key_id), row.wrapped_key);
}
