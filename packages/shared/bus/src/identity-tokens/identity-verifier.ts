import { type CryptoKey, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import type { ServiceName } from '@berth/contracts/definition/contract';
import type { PublicJwk } from '@berth/contracts/resources/accounts/signing-keys';
import { AppError } from '@berth/contracts/errors';
import type { Identity } from '@berth/contracts/access/identity';
import { identityTokens } from './identity-token.ts';
import { PackedIdentity } from '@berth/contracts/access/packed-identity';
import { unpackIdentity } from './pack-identity.ts';
import { LRUCache } from 'lru-cache';
import { singleFlight } from '@berth/service/waiting/single-flight';

/** Refuses a token that was signed for another service than `audience`. */
export type IdentityVerifier = (token: string, audience: ServiceName) => Promise<Identity>;

export interface IdentityVerifierDeps {
  fetchKeys(): Promise<readonly PublicJwk[]>;
  /** The shortest pause between two fetches of the keys for unknown `kid`s. */
  refetchAfterMs?: number;
}

interface Verified {
  verified: Promise<{ identity: Identity; audience: unknown }>;
  /** Seconds since the epoch. An estimate until the signature is checked, so that a forged entry is dropped soon. */
  expires: number;
}

/** The most cached tokens. There is one per identity and half minute, so a service receives far fewer. */
const maxRemembered = 10_000;
/** The most text of cached tokens; in memory they take about six times as much. */
const maxCharacters = 8 * 1024 * 1024;
const clockToleranceSeconds = 5;

const refused = (cause?: unknown) =>
  new AppError('unauthenticated', 'The identity of the request is not valid', { cause });

/** Verifies each token once and caches the result until the token expires, which saves cryptography for each request. */
export function createIdentityVerifier({ fetchKeys, refetchAfterMs = 3_000 }: IdentityVerifierDeps): IdentityVerifier {
  const keyOf = keySource(fetchKeys, refetchAfterMs);
  const remembered = new LRUCache<string, Verified>({ max: maxRemembered, maxSize: maxCharacters });

  // The audience is compared on every use: the cached result only proves that the token is genuine.
  return async (token, audience) => {
    const { identity, audience: signedFor } = await verify(token);
    if (signedFor !== audience) throw refused();
    return identity;
  };

  function verify(token: string): Verified['verified'] {
    const known = remembered.get(token);
    if (known && known.expires > Date.now() / 1000) return known.verified;

    const entry: Verified = { verified: check(token), expires: Date.now() / 1000 + 10 };
    // The cache rejects entries of size 0, and an empty token is refused anyway.
    remembered.set(token, entry, { size: token.length || 1 });
    entry.verified.catch(() => remembered.delete(token));
    return entry.verified;

    async function check(presented: string) {
      try {
        const { kid } = decodeProtectedHeader(presented);
        const key = kid === undefined ? undefined : await keyOf(kid);
        if (!key) throw refused();
        const { payload } = await jwtVerify(presented, key, {
          algorithms: [identityTokens.algorithm],
          typ: identityTokens.type,
          issuer: identityTokens.issuer,
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['exp', 'iat', 'aud'],
        });
        entry.expires = payload.exp ?? 0;
        const { identity, token_id } = payload;
        const packed = PackedIdentity.parse(token_id === undefined ? identity : { ...Object(identity), token_id });
        return { identity: unpackIdentity(packed), audience: payload.aud };
      } catch (error) {
        // The keys are unavailable, so the token may be valid and the caller may retry.
        if (error instanceof AppError) throw error;
        throw refused(error);
      }
    }
  }
}

/** Public keys by `kid`. Runs one fetch at a time, and fetches for unknown `kid`s at most every `refetchAfterMs`. */
function keySource(fetchKeys: () => Promise<readonly PublicJwk[]>, refetchAfterMs: number) {
  let keys = new Map<string, CryptoKey | Uint8Array>();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  const fetchAll = singleFlight(async (): Promise<void> => {
    const jwks = await fetchKeys();
    const imported = jwks.map(async (jwk) => [jwk.kid, await importJWK({ ...jwk }, identityTokens.algorithm)] as const);
    keys = new Map(await Promise.all(imported));
    fetchedAt = performance.now();
  });

  return async (kid: string): Promise<CryptoKey | Uint8Array | undefined> => {
    if (!keys.has(kid) && performance.now() - fetchedAt > refetchAfterMs) await fetchAll();
    return keys.get(kid);
  };
}
