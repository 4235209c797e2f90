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

/**
 * Where the page of the callback hands the code of a login that a terminal started: to a port of the person's own computer, or to
 * the person. Only the port is free, so that no request can name another host.
 */
const HandTo = z
  .string()
  .regex(/^(?:screen|127\.0\.0\.1:(?:[1-9]\d{3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5]))$/, {
    error: 'must be `screen`, or 127.0.0.1 with a port from 1000',
  });

/** Shown in the terminal and on the page: a person who compares them confirms no login of somebody else. */
const Confirmation = z.string().regex(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);

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
      query: z
        .strictObject({ challenge: Challenge.optional(), hand_to: HandTo.optional() })
        .refine(({ challenge, hand_to }) => hand_to === undefined || challenge !== undefined, {
          path: ['challenge'],
          error: 'is required with hand_to',
        }),
      // The version before sends no confirmation.
      response: z.strictObject({ redirect_url: z.string(), state: z.string(), confirmation: Confirmation.optional() }),
      // Each reply is a new attempt.
      idempotent: false,
    }),
    describe: operation({
      http: 'GET /auth/idp/attempt',
      summary: 'Read where a started login hands its code, for the page of the callback',
      allow: anyone,
      query: z.strictObject({ state: visible(500) }),
      response: z.strictObject({ hand_to: HandTo.nullable(), confirmation: Confirmation }),
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
