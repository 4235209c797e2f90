import { z } from 'zod';

/** The settings of the provider's process, in a file that only its owner can read. */
export const OidcConfig = z.object({
  issuer: z.url(),
  port: z.int(),
  clientId: z.string(),
  clientSecret: z.string(),
  redirectUris: z.array(z.string()),
  cookieKey: z.string(),
  /** A private RSA key as JWK. */
  signingKey: z.record(z.string(), z.string()),
});
export type OidcConfig = z.infer<typeof OidcConfig>;
