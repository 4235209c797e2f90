import { hash } from 'node:crypto';
import { AppError } from '@berth/contracts/errors';
import { decodeProtectedHeader, errors, type JWTVerifyResult, jwtVerify } from 'jose';
import type { KeyRing } from '../signing-keys/key-ring.ts';
import { DeploymentClaims, type JwtSubject, jwtTypes, SessionClaims } from './jwt-claims.ts';
import { LRUCache } from 'lru-cache';

export interface JwtVerifierDeps {
  keyRing: Pick<KeyRing, 'verifyingKey'>;
  ownUrl: string;
}

interface VerifiedJwt {
  subject: JwtSubject;
  expiresInMs: number;
}

export type VerifyJwt = (jwt: string) => Promise<VerifiedJwt>;

interface Verified {
  subject: JwtSubject;
  kid: string;
  expiresAt: number;
}

/** Far longer than any token of ours, and short enough to hash on every request. */
const maxLength = 4096;
const maxRemembered = 10_000;
/** Another replica may have issued the token by its own clock. */
const clockToleranceSeconds = 5;

/** Three parts of base64url; anything else is refused before any cryptography. */
const shape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export const notAuthenticated = (cause?: unknown) =>
  new AppError('unauthenticated', 'The credential is missing or not valid', cause === undefined ? {} : { cause });

const expired = () => new AppError('token_expired', 'The token has expired');

/** Verifies the signature of each token once; the database decides on every request whether it is still valid. */
export function createJwtVerifier({ keyRing, ownUrl }: JwtVerifierDeps): VerifyJwt {
  const remembered = new LRUCache<string, Verified>({ max: maxRemembered });

  return async (jwt) => {
    if (jwt.length > maxLength || !shape.test(jwt)) throw notAuthenticated();
    // Keyed by hash, so that a memory dump does not contain live tokens.
    const key = hash('sha256', jwt, 'base64');
    const known = remembered.get(key);
    // Tokens of a key that is no longer published are refused.
    const verified = known && keyRing.verifyingKey(known.kid) ? known : await verify(jwt, { keyRing, ownUrl });

    const expiresInMs = (verified.expiresAt + clockToleranceSeconds) * 1000 - Date.now();
    if (expiresInMs <= 0) {
      remembered.delete(key);
      throw expired();
    }
    if (verified !== known) remembered.set(key, verified);
    return { subject: verified.subject, expiresInMs };
  };
}

async function verify(jwt: string, { keyRing, ownUrl }: JwtVerifierDeps): Promise<Verified> {
  try {
    const { kid } = decodeProtectedHeader(jwt);
    // The kid selects one of our own keys; other fields of the header (jwk, jku, x5c) are ignored.
    const key = kid === undefined ? undefined : keyRing.verifyingKey(kid);
    if (kid === undefined || key === undefined) throw notAuthenticated();
    const result = await jwtVerify(jwt, key, {
      algorithms: ['EdDSA'],
      issuer: ownUrl,
      audience: ownUrl,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['iat', 'nbf', 'exp', 'jti'],
    });
    return { kid, ...subjectOf(result) };
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw expired();
    throw error instanceof AppError ? error : notAuthenticated(error);
  }
}

function subjectOf({ payload, protectedHeader: { typ } }: JWTVerifyResult): Omit<Verified, 'kid'> {
  if (typ === jwtTypes.session) {
    const { identity, session_epoch, exp } = SessionClaims.parse(payload);
    return { subject: { kind: 'session', userId: identity.User, sessionEpoch: session_epoch }, expiresAt: exp };
  }
  if (typ === jwtTypes.deployment) {
    const { identity, env_id, exp } = DeploymentClaims.parse(payload);
    return { subject: { kind: 'deployment', deploymentId: identity.Deployment, envId: env_id }, expiresAt: exp };
  }
  // A `call` token is meant for a deployment; the platform must not accept what a workload received.
  throw notAuthenticated();
}
