import type { Authenticated, Credential } from '@berth/contracts/resources/accounts/identities';
import { LRUCache } from 'lru-cache';
import { hashOf } from './hash-of-credential.ts';

const maxCredentials = 10_000;

export type KnownIdentity = Authenticated['identity'];

/**
 * Hashes of credentials that were valid when last presented, with their identities. Auth still authenticates a known credential,
 * but it is exempt from the limit on failed attempts of its address, and the limit of its identity applies before auth is asked.
 */
export class KnownCredentials {
  readonly #identities = new LRUCache<string, KnownIdentity>({ max: maxCredentials });

  identityOf(credential: Credential): KnownIdentity | undefined {
    return this.#identities.get(hashOf(credential));
  }

  add(credential: Credential, identity: KnownIdentity): void {
    this.#identities.set(hashOf(credential), identity);
  }

  remove(credential: Credential): void {
    this.#identities.delete(hashOf(credential));
  }
}
