import { randomUUID } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import type { KeyRing } from '../signing-keys/key-ring.ts';
import { jwtTypes } from './jwt-claims.ts';

export interface JwtIssuerDeps {
  keyRing: Pick<KeyRing, 'signer'>;
  /** Issuer of all tokens; audience of those that the platform accepts. */
  ownUrl: string;
  sessionSeconds: number;
  deploymentTokenSeconds: number;
}

interface IssuedJwt {
  access_token: string;
  expires_at: string;
}

interface DeploymentJwt extends IssuedJwt {
  server_url: string;
  lifetime_seconds: number;
}

export interface JwtIssuer {
  forSession(user: { id: string; session_epoch: number }): Promise<IssuedJwt>;
  forDeployment(deployment: { id: string; env_id: string }): Promise<DeploymentJwt>;
  /** Its audience is the deployment alone, so the platform itself refuses it. */
  forCall(deployment: { id: string; env_id: string }, call: { method: string; path: string }): Promise<IssuedJwt>;
}

/** Longer than any call, but short, since the token may end up in a log of the workload. */
const callSeconds = 300;

export function createJwtIssuer(deps: JwtIssuerDeps): JwtIssuer {
  const { keyRing, ownUrl, sessionSeconds, deploymentTokenSeconds } = deps;

  async function issue(
    typ: string,
    claims: JWTPayload,
    { lifetimeSeconds, audience = ownUrl }: { lifetimeSeconds: number; audience?: string },
  ): Promise<IssuedJwt> {
    const { kid, key } = keyRing.signer();
    const now = Math.floor(Date.now() / 1000);
    const access_token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', typ, kid })
      .setIssuer(ownUrl)
      .setAudience(audience)
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + lifetimeSeconds)
      .setJti(randomUUID())
      .sign(key);
    return { access_token, expires_at: new Date((now + lifetimeSeconds) * 1000).toISOString() };
  }

  return {
    forSession: ({ id, session_epoch }) =>
      issue(jwtTypes.session, { identity: { User: id }, session_epoch }, { lifetimeSeconds: sessionSeconds }),
    forDeployment: async ({ id, env_id }) => {
      const claims = { identity: { Deployment: id }, env_id };
      const issued = await issue(jwtTypes.deployment, claims, { lifetimeSeconds: deploymentTokenSeconds });
      return { ...issued, server_url: ownUrl, lifetime_seconds: deploymentTokenSeconds };
    },
    forCall: ({ id, env_id }, { method, path }) =>
      issue(jwtTypes.call, { env_id, call: { method, path } }, { lifetimeSeconds: callSeconds, audience: id }),
  };
}
