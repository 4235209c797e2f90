import { AppError } from '@berth/contracts/errors';
import { seal, unsealWithAny } from '@berth/db/sealing/seal';
import { ConfigError } from '@berth/service/read-config';
import { Credentials } from '../connection/read-credentials.ts';
import { RegistryError } from '../connection/registry-error.ts';
import type { SealedSecrets } from './created-registry-repository.ts';

/** The key that seals, and others that only open; empty if no key is configured. */
export type CredentialKeys = readonly Buffer[];

const boundTo = (what: 'credentials' | 'push token', registryId: string): string => `${what} of registry ${registryId}`;

/** Throws `unprocessable` without a key. */
function keyToSeal([current]: CredentialKeys, field: string): Buffer {
  if (current) return current;
  throw new AppError('unprocessable', `body.${field}: cannot be stored, as registry-scan has no KEY_ENCRYPTION_KEY`);
}

/** Throws `unprocessable` without a key. */
export const sealCredentials = (keys: CredentialKeys, registryId: string, credentials: Credentials): Buffer =>
  seal(keyToSeal(keys, 'credentials'), boundTo('credentials', registryId), JSON.stringify(credentials));

/** Throws `unprocessable` without a key. */
export const sealPushToken = (keys: CredentialKeys, registryId: string, token: string): Buffer =>
  seal(keyToSeal(keys, 'push_token'), boundTo('push token', registryId), token);

/** Throws `denied` if no key fits, or the row was changed outside of Berth. */
export function openCredentials(keys: CredentialKeys, registryId: string, sealed: Buffer): Credentials {
  try {
    const opened = unsealWithAny(keys, boundTo('credentials', registryId), sealed);
    return Credentials.parse(JSON.parse(opened.toString('utf8')));
  } catch (cause) {
    throw new RegistryError('denied', 'the credentials cannot be opened: give them again', { cause });
  }
}

/** Throws `denied` if no key fits, or the row was changed outside of Berth. */
export function openPushToken(keys: CredentialKeys, registryId: string, sealed: Buffer): string {
  try {
    return unsealWithAny(keys, boundTo('push token', registryId), sealed).toString('utf8');
  } catch (cause) {
    throw new RegistryError('denied', 'the push token cannot be opened: give it again', { cause });
  }
}

/**
 * A start with keys that open none of the stored credentials fails. One that does not open among others was changed outside of
 * Berth, or waits to be given again after a rotation: its registry says so.
 */
export function refuseToStartWithoutKeys(keys: CredentialKeys, stored: readonly SealedRow[]): void {
  if (stored.length === 0 || stored.some((row) => isOpenedBy(keys, row))) return;
  const rule =
    'must be the key that sealed the stored credentials of registries, or OTHER_KEY_ENCRYPTION_KEYS must list it';
  throw new ConfigError([`KEY_ENCRYPTION_KEY: ${rule}`]);
}

interface SealedRow extends SealedSecrets {
  readonly id: string;
}

function isOpenedBy(keys: CredentialKeys, { id, credentials, pushToken }: SealedRow): boolean {
  try {
    if (credentials) unsealWithAny(keys, boundTo('credentials', id), credentials);
    if (pushToken) unsealWithAny(keys, boundTo('push token', id), pushToken);
    return true;
  } catch {
    return false;
  }
}
