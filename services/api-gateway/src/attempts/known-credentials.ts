import { hash } from 'node:crypto';
import type { Credential } from '@berth/shared/contracts/resources/identities';

const maxCredentials = 10_000;

/**
 * Hashes of credentials that were valid when last presented. A known credential is still authenticated by auth; it is
 * only exempt from the limit on failed attempts of its address.
 */
export class KnownCredentials {
  readonly #hashes = new Set<string>();

  has(credential: Credential): boolean {
    return this.#hashes.has(hashOf(credential));
  }

  add(credential: Credential): void {
    const key = hashOf(credential);
    // Deleted and added again, it is the most recently used one.
    this.#hashes.delete(key);
    this.#hashes.add(key);
    if (this.#hashes.size > maxCredentials) this.#hashes.delete(this.#hashes.keys().next().value ?? '');
  }

  remove(credential: Credential): void {
    this.#hashes.delete(hashOf(credential));
  }
}

const hashOf = (credential: Credential): string =>
  hash('sha256', 'token' in credential ? `token ${credential.token}` : `jwt ${credential.jwt}`, 'base64url');
