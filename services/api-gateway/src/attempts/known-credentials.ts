import { hash } from 'node:crypto';
import type { Credential } from '@berth/shared/contracts/resources/identities';

const most = 10_000;

/**
 * Credentials that were valid when they were last presented, as hashes. Never a reason to let somebody in, only to ask
 * auth about them though others at the same address guess.
 */
export class KnownCredentials {
  readonly #hashes = new Set<string>();

  has(credential: Credential): boolean {
    return this.#hashes.has(hashOf(credential));
  }

  add(credential: Credential): void {
    const key = hashOf(credential);
    // Put in again, it is the last one to be forgotten.
    this.#hashes.delete(key);
    this.#hashes.add(key);
    if (this.#hashes.size > most) this.#hashes.delete(this.#hashes.keys().next().value ?? '');
  }

  remove(credential: Credential): void {
    this.#hashes.delete(hashOf(credential));
  }
}

const hashOf = (credential: Credential): string =>
  hash('sha256', 'token' in credential ? `token ${credential.token}` : `jwt ${credential.jwt}`, 'base64url');
