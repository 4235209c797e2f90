import { z } from 'zod';
import { Identity } from '../access/identity.ts';
import { ourServices } from '../access/rules.ts';
import { operation, resource } from './contract.ts';

/** What a request presented. `x-service-token` decides where both are sent. */
export const Credential = z.union([
  z.strictObject({ token: z.string().max(4096) }),
  z.strictObject({ jwt: z.string().max(8192) }),
]);
export type Credential = z.infer<typeof Credential>;

/** The identity behind a credential, and the same signed for the services (60 s, `typ identity+jwt`). */
export const Authenticated = z.strictObject({ identity: Identity, identity_token: z.string() });
export type Authenticated = z.infer<typeof Authenticated>;

export const identities = resource('identities', {
  owner: 'auth',
  singular: 'identity',
  operations: {
    authenticate: operation({
      summary: 'Who is behind a credential',
      allow: ourServices,
      callers: ['api-gateway'],
      body: Credential,
      response: Authenticated,
      idempotent: true,
    }),
  },
});
