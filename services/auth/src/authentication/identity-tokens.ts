import { hash } from 'node:crypto';
import type { Identity } from '@berth/shared/access/identity';
import { identityTokens } from '@berth/shared/access/identity-token';
import type { KeyRing } from '../signing-keys/key-ring.ts';
import { RecentlyUsed } from '../tokens/recently-used.ts';

export type SignedIdentity = (identity: Identity) => Promise<string>;

interface Signed {
  token: Promise<string>;
  signedAt: number;
}

const maxRemembered = 10_000;
const goodForMs = (identityTokens.lifetimeSeconds / 2) * 1000;

/**
 * The identity signed for the services. It is signed again only when what was read changed or half of its time has passed:
 * the key is what it says, so a role more or less is another entry.
 */
export function createIdentityTokens(keyRing: Pick<KeyRing, 'signer'>, now = () => performance.now()): SignedIdentity {
  const remembered = new RecentlyUsed<Signed>(maxRemembered);

  return (identity) => {
    const key = hash('sha256', JSON.stringify(identity), 'base64');
    const known = remembered.get(key);
    if (known && now() - known.signedAt < goodForMs) return known.token;

    const signed = { token: keyRing.signer().signIdentity(identity), signedAt: now() };
    remembered.set(key, signed);
    signed.token.catch(() => remembered.delete(key));
    return signed.token;
  };
}
