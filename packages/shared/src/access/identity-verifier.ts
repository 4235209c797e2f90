import { type CryptoKey, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import type { PublicJwk } from '../contracts/signing-keys.ts';
import { AppError } from '../errors.ts';
import { Identity } from './identity.ts';
import { identityTokens } from './identity-token.ts';

export type IdentityVerifier = (token: string) => Promise<Identity>;

export interface IdentityVerifierDeps {
  fetchKeys(): Promise<readonly PublicJwk[]>;
  /** An unknown `kid` asks for the keys again, but not more often than this. */
  refetchAfterMs?: number;
}

interface Verified {
  identity: Promise<Identity>;
  /** Seconds since the epoch; until the signature is checked a guess that drops the entry soon. */
  expires: number;
}

/** Tokens remembered at most; at one per identity and half minute that is far more than one service meets. */
const maxRemembered = 10_000;
const clockToleranceSeconds = 5;

const refused = (cause?: unknown) =>
  new AppError('unauthenticated', 'The identity of the request is not valid', { cause });

/** Checks each token string once and remembers the answer until it expires, so steady traffic costs no cryptography. */
export function createIdentityVerifier({ fetchKeys, refetchAfterMs = 3_000 }: IdentityVerifierDeps): IdentityVerifier {
  const keyOf = keySource(fetchKeys, refetchAfterMs);
  const remembered = new Map<string, Verified>();

  return (token) => {
    const known = remembered.get(token);
    if (known && known.expires > Date.now() / 1000) return known.identity;

    const entry: Verified = { identity: check(token), expires: Date.now() / 1000 + 10 };
    remembered.set(token, entry);
    if (remembered.size > maxRemembered) forgetOldest(remembered);
    entry.identity.catch(() => remembered.delete(token));
    return entry.identity;

    async function check(presented: string): Promise<Identity> {
      try {
        const { kid } = decodeProtectedHeader(presented);
        const key = kid === undefined ? undefined : await keyOf(kid);
        if (!key) throw refused();
        const { payload } = await jwtVerify(presented, key, {
          algorithms: [identityTokens.algorithm],
          typ: identityTokens.type,
          issuer: identityTokens.issuer,
          audience: identityTokens.audience,
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['exp', 'iat'],
        });
        entry.expires = payload.exp ?? 0;
        return Identity.parse(payload['identity']);
      } catch (error) {
        // The keys could not be had: that says nothing about the token, and the caller may try again.
        if (error instanceof AppError) throw error;
        throw refused(error);
      }
    }
  };
}

function forgetOldest(remembered: Map<string, Verified>): void {
  const now = Date.now() / 1000;
  for (const [token, { expires }] of remembered) if (expires <= now) remembered.delete(token);
  for (const token of remembered.keys()) {
    if (remembered.size <= maxRemembered * 0.9) break;
    remembered.delete(token);
  }
}

/** Public keys by `kid`; one fetch at a time, and a fetch for an unknown one at most every `refetchAfterMs`. */
function keySource(fetchKeys: () => Promise<readonly PublicJwk[]>, refetchAfterMs: number) {
  let keys = new Map<string, CryptoKey | Uint8Array>();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  async function fetchAll(): Promise<void> {
    const jwks = await fetchKeys();
    const imported = jwks.map(async (jwk) => [jwk.kid, await importJWK({ ...jwk }, identityTokens.algorithm)] as const);
    keys = new Map(await Promise.all(imported));
    fetchedAt = performance.now();
  }

  return async (kid: string): Promise<CryptoKey | Uint8Array | undefined> => {
    if (!keys.has(kid) && (fetching || performance.now() - fetchedAt > refetchAfterMs)) {
      fetching ??= fetchAll().finally(() => {
        fetching = undefined;
      });
      await fetching;
    }
    return keys.get(kid);
  };
}
