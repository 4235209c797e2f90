import { AppError } from '@berth/contracts/errors';
import { seal, unsealWithAny } from '@berth/db/sealing/seal';
import { ConfigError } from '@berth/service/read-config';
import { Credentials } from '../connection/read-credentials.ts';
import { RegistryError } from '../connection/registry-error.ts';

/** The key that seals, and others that only open; empty if no key is configured. */
export type CredentialKeys = readonly Buffer[];

const boundTo = (registryId: string): string => `credentials of registry ${registryId}`;

/** Throws `unprocessable` without a key. */
export function sealCredentials(keys: CredentialKeys, registryId: string, credentials: Credentials): Buffer {
  const [current] = keys;
  if (!current) {
    throw new AppError(
      'unprocessable',
      'body.credentials: cannot be stored, as registry-scan has no KEY_ENCRYPTION_KEY',
    );
  }
  return seal(current, boundTo(registryId), JSON.stringify(credentials));
}

/** Throws `denied` if no key fits, or the row was changed outside of Berth. */
export function openCredentials(keys: CredentialKeys, registryId: string, sealed: Buffer): Credentials {
  try {
    return Credentials.parse(JSON.parse(unsealWithAny(keys, boundTo(registryId), sealed).toString('utf8')));
  } catch (cause) {
    throw new RegistryError('denied', 'the credentials cannot be opened: give them again', { cause });
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

interface SealedRow {
  readonly id: string;
  readonly sealed_credentials: Buffer;
}

function isOpenedBy(keys: CredentialKeys, { id, sealed_credentials }: SealedRow): boolean {
  try {
    unsealWithAny(keys, boundTo(id), sealed_credentials);
    return true;
  } catch {
    return false;
  }
}
