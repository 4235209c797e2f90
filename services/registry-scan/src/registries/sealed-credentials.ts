import { AppError } from '@berth/contracts/errors';
import { seal, unsealWithAny } from '@berth/db/sealing/seal';
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
