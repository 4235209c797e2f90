import { z } from 'zod';
import { PackedIdentity } from '../../access/packed-identity.ts';
import { ourServices } from '../../access/rules.ts';
import { operation, resource, serviceNames } from '../../definition/contract.ts';
import { Id, Text } from '../../fields/fields.ts';

/** The credential of a request. `x-service-token` decides where both are sent. */
export const Credential = z.union([z.strictObject({ token: Text.max(4096) }), z.strictObject({ jwt: Text.max(8192) })]);
export type Credential = z.infer<typeof Credential>;

/** The identity behind a credential, with its roles, signed for one service (valid for 60 s, `typ identity+jwt`). */
export const Authenticated = z.strictObject({
  identity: z.strictObject({ kind: z.enum(['user', 'bot', 'deployment']), id: Id }),
  identity_token: z.string(),
  /** How many ms it may be reused under an identity lease; absent if it may not. */
  reusable_ms: z.int().min(0).optional(),
});
export type Authenticated = z.infer<typeof Authenticated>;

export const CurrentIdentityQuery = z.strictObject({ kind: z.enum(['user', 'bot']), id: Id });
export type CurrentIdentityQuery = z.infer<typeof CurrentIdentityQuery>;

/** The present rights of a user or bot, or the reason why it has none. */
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
      summary: 'The identity behind a credential',
      allow: ourServices,
      callers: ['api-gateway'],
      // The service that is called next: the identity is signed for this audience only.
      body: z.strictObject({ credential: Credential, audience: z.enum(serviceNames) }),
      response: Authenticated,
      idempotent: true,
    }),
    // Unsigned, so it grants nothing: it tells a service the present rights of a requester who made no request.
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
