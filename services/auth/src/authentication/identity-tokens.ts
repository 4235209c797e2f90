import { hash } from 'node:crypto';
import { identityTokens } from '@berth/bus/identity-tokens/identity-token';
import type { PackedIdentity } from '@berth/contracts/access/packed-identity';
import type { ServiceName } from '@berth/contracts/definition/contract';
import type { KeyRing } from '../signing-keys/key-ring.ts';
import { LRUCache } from 'lru-cache';

export type SignedIdentity = (identity: PackedIdentity, audience: ServiceName) => Promise<string>;

interface Signed {
  token: Promise<string>;
  signedAt: number;
}

/** In characters of signed text: far more than ordinary users need within half a minute. */
const maxRemembered = 32 * 1024 * 1024;
const goodForMs = (identityTokens.lifetimeSeconds / 2) * 1000;

/**
 * Signs an identity for one service and reuses the token for half of its lifetime. The key is content and audience, so any
 * change of roles gets a new token.
 */
export function createIdentityTokens(keyRing: Pick<KeyRing, 'signer'>, now = () => performance.now()): SignedIdentity {
  const remembered = new LRUCache<string, Signed>({ maxSize: maxRemembered });

  return (identity, audience) => {
    const text = JSON.stringify([audience, identity]);
    const key = hash('sha256', text, 'base64');
    const known = remembered.get(key);
    if (known && now() - known.signedAt < goodForMs) return known.token;

    const signed = { token: keyRing.signer().signIdentity(identity, audience), signedAt: now() };
    remembered.set(key, signed, { size: text.length });
    signed.token.catch(() => remembered.delete(key));
    return signed.token;
  };
}
