import { z } from 'zod';
import { anyone } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';

const visible = (max: number) =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces')
    .max(max);

/** base64url(SHA-256(verifier)): 32 bytes, unpadded. */
const Challenge = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be the base64url of a SHA-256 hash');

const Verifier = z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/, 'must be 43 to 128 of A-Z, a-z, 0-9 and -._~');

export const LoginCallback = z.strictObject({
  auth_code: visible(4096),
  state: visible(500),
  /** Required if the login was started with a challenge. */
  verifier: Verifier.optional(),
  /** The issuer in the provider's redirect (RFC 9207). */
  iss: visible(2048).optional(),
});
export type LoginCallback = z.infer<typeof LoginCallback>;

/** The path to which identity providers redirect the browser; clients use the same path below the API prefix. */
export const loginCallbackPath = '/auth/idp/callback';

export const logins = resource('logins', {
  owner: 'auth',
  singular: 'login',
  operations: {
    start: operation({
      http: 'GET /auth/idp',
      summary: 'Start a login: where to send the browser',
      allow: anyone,
      query: z.strictObject({ challenge: Challenge.optional() }),
      response: z.strictObject({ redirect_url: z.string(), state: z.string() }),
      // Each reply is a new attempt.
      idempotent: false,
    }),
    finish: operation({
      http: `POST ${loginCallbackPath}`,
      summary: 'Finish a login with the code of the identity provider',
      allow: anyone,
      body: LoginCallback,
      response: z.strictObject({ access_token: z.string() }),
      status: 200,
    }),
  },
});
