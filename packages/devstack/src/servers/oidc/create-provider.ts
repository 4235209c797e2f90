import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { OidcConfig } from './oidc-config.ts';

export const INTERACTION_PATH = '/sign-in/';

export type Claims = { readonly sub: string } & Record<string, unknown>;

export interface Accounts {
  /** The claims of a person who can sign in, by subject. */
  claimsOf(subject: string): Claims | undefined;
  /** Omits name and e-mail from the ID token, as OpenID Connect Core allows, although most providers include them. */
  claimsOnlyInUserInfo?: boolean | undefined;
}

export function createProvider(
  { issuer, clientId, clientSecret, redirectUris, cookieKey, signingKey }: OidcConfig,
  { claimsOf, claimsOnlyInUserInfo = false }: Accounts,
): Provider {
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [signingKey] },
    cookies: { keys: [cookieKey] },
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: claimsOnlyInUserInfo,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `${INTERACTION_PATH}${uid}` },
    findAccount: (_context, accountId) => {
      const claims = claimsOf(accountId);
      return claims && { accountId, claims: () => claims };
    },
    loadExistingGrant: grantAll,
  };
  return new Provider(issuer, configuration);
}

/** Berth is the only client, so there is no consent page. */
async function grantAll({ oidc }: KoaContextWithOIDC) {
  const accountId = oidc.session?.accountId;
  const clientId = oidc.client?.clientId;
  if (accountId === undefined || clientId === undefined) return undefined;
  const grant = new oidc.provider.Grant({ accountId, clientId });
  grant.addOIDCScope('openid profile email');
  await grant.save();
  return grant;
}
