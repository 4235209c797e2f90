import { importJWK, type JWK, SignJWT } from 'jose';
import type { Identity } from './identity.ts';

/** The signed identity of one request, as it travels between the services. Only `auth` can sign it. */
export const identityTokens = {
  issuer: 'berth',
  audience: 'berth-services',
  type: 'identity+jwt',
  algorithm: 'EdDSA',
  lifetimeSeconds: 60,
} as const;

export type IdentitySigner = (identity: Identity) => Promise<string>;

/** A private Ed25519 key as JWK; `kid` names the public half that verifies what it signs. */
export type PrivateJwk = JWK & { kid: string };

export async function createIdentitySigner(privateKey: PrivateJwk): Promise<IdentitySigner> {
  const { issuer, audience, type, algorithm, lifetimeSeconds } = identityTokens;
  const key = await importJWK(privateKey, algorithm);

  return (identity) =>
    new SignJWT({ identity })
      .setProtectedHeader({ alg: algorithm, typ: type, kid: privateKey.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSeconds}s`)
      .sign(key);
}
