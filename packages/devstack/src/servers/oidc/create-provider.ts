import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { OidcConfig } from './oidc-config.ts';
import { people } from './people.ts';

export const INTERACTION_PATH = '/sign-in/';

export function createProvider({
  issuer,
  clientId,
  clientSecret,
  redirectUris,
  cookieKey,
  signingKey,
}: OidcConfig): Provider {
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
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    // As most providers do: what the scopes ask for is in the ID token too, not only at the userinfo endpoint.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `${INTERACTION_PATH}${uid}` },
    findAccount: (_context, subject) => accountOf(subject),
    loadExistingGrant: grantEverythingAsked,
  };
  return new Provider(issuer, configuration);
}

function accountOf(subject: string) {
  const person = people.find(({ name }) => name === subject);
  if (!person) return undefined;
  const { displayName: name, email } = person;
  return { accountId: subject, claims: () => ({ sub: subject, name, email, email_verified: true }) };
}

/** The one client is our own, so nobody is asked to agree to what it wants to know. */
async function grantEverythingAsked({ oidc }: KoaContextWithOIDC) {
  const accountId = oidc.session?.accountId;
  const clientId = oidc.client?.clientId;
  if (accountId === undefined || clientId === undefined) return undefined;
  const grant = new oidc.provider.Grant({ accountId, clientId });
  grant.addOIDCScope('openid profile email');
  await grant.save();
  return grant;
}
