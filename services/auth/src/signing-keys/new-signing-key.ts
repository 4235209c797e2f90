import type { PrivateJwk } from '@berth/bus/identity-tokens/identity-token';
import type { PublicJwk } from '@berth/contracts/resources/accounts/signing-keys';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { z } from 'zod';

const Private = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() });

export interface NewSigningKey {
  publicJwk: PublicJwk;
  privateJwk: PrivateJwk;
}

/** An Ed25519 pair; its `kid` is the thumbprint of the public half, so no two keys share one. */
export async function newSigningKey(): Promise<NewSigningKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const { kty, crv, x, d } = Private.parse(await exportJWK(privateKey));
  const kid = await calculateJwkThumbprint({ kty, crv, x });
  return { publicJwk: { kty, crv, x, kid, alg: 'EdDSA', use: 'sig' }, privateJwk: { kty, crv, x, d, kid } };
}
