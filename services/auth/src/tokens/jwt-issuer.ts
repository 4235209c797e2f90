import { randomUUID } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import type { KeyRing } from '../signing-keys/key-ring.ts';
import { jwtTypes } from './jwt-claims.ts';

export interface JwtIssuerDeps {
  keyRing: Pick<KeyRing, 'signer'>;
  /** Issuer and audience of the tokens. */
  ownUrl: string;
  sessionSeconds: number;
  deploymentTokenSeconds: number;
}

export interface IssuedJwt {
  access_token: string;
  expires_at: string;
}

export interface JwtIssuer {
  forSession(user: { id: string; session_epoch: number }): Promise<IssuedJwt>;
  forDeployment(deployment: { id: string; env_id: string }): Promise<IssuedJwt>;
}

export function createJwtIssuer(deps: JwtIssuerDeps): JwtIssuer {
  const { keyRing, ownUrl, sessionSeconds, deploymentTokenSeconds } = deps;

  async function issue(typ: string, claims: JWTPayload, lifetimeSeconds: number): Promise<IssuedJwt> {
    const { kid, key } = keyRing.signer();
    const now = Math.floor(Date.now() / 1000);
    const access_token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', typ, kid })
      .setIssuer(ownUrl)
      .setAudience(ownUrl)
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + lifetimeSeconds)
      .setJti(randomUUID())
      .sign(key);
    return { access_token, expires_at: new Date((now + lifetimeSeconds) * 1000).toISOString() };
  }

  return {
    forSession: ({ id, session_epoch }) =>
      issue(jwtTypes.session, { identity: { User: id }, session_epoch }, sessionSeconds),
    forDeployment: ({ id, env_id }) =>
      issue(jwtTypes.deployment, { identity: { Deployment: id }, env_id }, deploymentTokenSeconds),
  };
}
