import { z } from 'zod';
import { PackedIdentity } from '../../access/packed-identity.ts';
import { ourServices } from '../../access/rules.ts';
import { operation, resource, serviceNames } from '../contract.ts';
import { Id, Text } from '../fields.ts';

/** What a request presented. `x-service-token` decides where both are sent. */
export const Credential = z.union([z.strictObject({ token: Text.max(4096) }), z.strictObject({ jwt: Text.max(8192) })]);
export type Credential = z.infer<typeof Credential>;

/** Who is behind a credential, and the identity with its roles, signed for one service (60 s, `typ identity+jwt`). */
export const Authenticated = z.strictObject({
  identity: z.strictObject({ kind: z.enum(['user', 'bot', 'deployment']), id: Id }),
  identity_token: z.string(),
});
export type Authenticated = z.infer<typeof Authenticated>;

export const CurrentIdentityQuery = z.strictObject({ kind: z.enum(['user', 'bot']), id: Id });
export type CurrentIdentityQuery = z.infer<typeof CurrentIdentityQuery>;

/** What a user or bot may do now, or why nothing. */
export const CurrentIdentity = z.union([
  z.strictObject({ identity: PackedIdentity }),
  z.strictObject({ missing: z.enum(['unknown', 'inactive']) }),
]);
export type CurrentIdentity = z.infer<typeof CurrentIdentity>;

export const identities = resource('identities', {
  owner: 'auth',
  singular: 'identity',
  operations: {
    authenticate: operation({
      summary: 'Who is behind a credential',
      allow: ourServices,
      callers: ['api-gateway'],
      // The service that is asked next: the identity is signed for it alone.
      body: z.strictObject({ credential: Credential, audience: z.enum(serviceNames) }),
      response: Authenticated,
      idempotent: true,
    }),
    // Unsigned: it opens nothing, it only tells what its owner decides in the name of somebody who is not there.
    current: operation({
      summary: 'What a user or bot may do now',
      allow: ourServices,
      callers: ['tasks'],
      body: CurrentIdentityQuery,
      response: CurrentIdentity,
      idempotent: true,
    }),
  },
});
