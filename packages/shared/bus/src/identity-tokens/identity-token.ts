import { importJWK, type JWK, SignJWT } from 'jose';
import type { ServiceName } from '@berth/contracts/definition/contract';
import type { PackedIdentity } from '@berth/contracts/access/packed-identity';

/** The signed identity of one request, which services pass to each other. Only `auth` can sign it. */
export const identityTokens = {
  issuer: 'berth',
  type: 'identity+jwt',
  algorithm: 'EdDSA',
  lifetimeSeconds: 60,
} as const;

/** The audience is the called service: no other service accepts the token. */
export type IdentitySigner = (identity: PackedIdentity, audience: ServiceName) => Promise<string>;

/** A private Ed25519 key as JWK; `kid` names the public half that verifies its signatures. */
export type PrivateJwk = JWK & { kid: string };

export async function createIdentitySigner(privateKey: PrivateJwk): Promise<IdentitySigner> {
  const { issuer, type, algorithm, lifetimeSeconds } = identityTokens;
  const key = await importJWK(privateKey, algorithm);

  return ({ ...identity }, audience) => {
    // A private claim, which older versions ignore.
    const token = identity.kind === 'deployment' ? undefined : identity.token_id;
    if (identity.kind !== 'deployment') delete identity.token_id;
    return new SignJWT({ identity, ...(token !== undefined && { token_id: token }) })
      .setProtectedHeader({ alg: algorithm, typ: type, kid: privateKey.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSeconds}s`)
      .sign(key);
  };
}
