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
    // Like most providers: the claims of the requested scopes are in the ID token too, not only at the userinfo endpoint.
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

/** The only client is Berth itself, so there is no consent page. */
async function grantEverythingAsked({ oidc }: KoaContextWithOIDC) {
  const accountId = oidc.session?.accountId;
  const clientId = oidc.client?.clientId;
  if (accountId === undefined || clientId === undefined) return undefined;
  const grant = new oidc.provider.Grant({ accountId, clientId });
  grant.addOIDCScope('openid profile email');
  await grant.save();
  return grant;
}
