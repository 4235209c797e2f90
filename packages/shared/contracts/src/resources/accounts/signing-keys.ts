import { z } from 'zod';
import { anyone } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';

/** A public Ed25519 key. */
export const PublicJwk = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
});
export type PublicJwk = z.infer<typeof PublicJwk>;

export const signingKeys = resource('signing_keys', {
  owner: 'auth',
  singular: 'signing key',
  operations: {
    list: operation({
      http: 'GET /.well-known/jwks.json',
      summary: 'Read the public keys that session, deployment and identity tokens are signed with',
      allow: anyone,
      callers: ['auth', 'tasks', 'cluster-sync', 'registry-scan'],
      response: z.strictObject({ keys: z.array(PublicJwk) }),
    }),
  },
});
