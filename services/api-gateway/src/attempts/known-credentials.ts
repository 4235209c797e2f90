import { hash } from 'node:crypto';
import type { Credential } from '@berth/shared/contracts/resources/identities';
import { BoundedCache } from '@berth/shared/waiting/bounded-cache';

const maxCredentials = 10_000;

/**
 * Hashes of credentials that were valid when last presented. A known credential is still authenticated by auth; it is
 * only exempt from the limit on failed attempts of its address.
 */
export class KnownCredentials {
  readonly #hashes = new BoundedCache<true>(maxCredentials);

  has(credential: Credential): boolean {
    return this.#hashes.get(hashOf(credential)) === true;
  }

  add(credential: Credential): void {
    this.#hashes.set(hashOf(credential), true);
  }

  remove(credential: Credential): void {
    this.#hashes.delete(hashOf(credential));
  }
}

const hashOf = (credential: Credential): string =>
  hash('sha256', 'token' in credential ? `token ${credential.token}` : `jwt ${credential.jwt}`, 'base64url');
