import { loginCallbackPath } from '@berth/contracts/resources/accounts/logins';
import type { Service } from '@berth/service/service';
import { singleFlight } from '@berth/service/waiting/single-flight';
import * as oidc from 'openid-client';
import { boundedFetch } from './bounded-fetch.ts';
import { claimsOfBoth, isComplete } from './claims-of-both.ts';
import { loginFailure, providerUnavailable } from './login-failure.ts';
import { type Person, personFrom } from './person.ts';

interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** For a provider on the same machine. */
  allowHttp: boolean;
}

export interface IdentityProviderDeps {
  provider: ProviderSettings;
  /** Where people reach the platform. */
  ownUrl: string;
  log: Service['log'];
}

/** Binds an answer of the provider to its request. */
export interface LoginSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

interface ProviderAnswer {
  code: string;
  iss: string | undefined;
}

export interface IdentityProvider {
  authorizationUrl(secrets: LoginSecrets): Promise<string>;
  /** Exchanges the code and checks everything that came with it. */
  personBehind(answer: ProviderAnswer, secrets: LoginSecrets): Promise<Person>;
}

const requestSeconds = 3;
const discoveredForMs = 60 * 60 * 1000;

export const newLoginSecrets = (): LoginSecrets => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  codeVerifier: oidc.randomPKCECodeVerifier(),
});

/** Discovered at the first login and again each hour: a provider that is down stops logins, not the service. */
export function createIdentityProvider({ provider, ownUrl, log }: IdentityProviderDeps): IdentityProvider {
  // Must equal the address that is registered at the provider.
  const redirectUri = `${ownUrl}${loginCallbackPath}`;
  const configuration = discovered(provider, log);

  return {
    async authorizationUrl({ state, nonce, codeVerifier }) {
      const parameters = {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      };
      return oidc.buildAuthorizationUrl(await configuration(), parameters).href;
    },

    async personBehind({ code, iss }, { state, nonce, codeVerifier }) {
      const config = await configuration();
      const answer = new URL(redirectUri);
      for (const [name, value] of Object.entries({ code, state, ...(iss !== undefined && { iss }) })) {
        answer.searchParams.set(name, value);
      }
      try {
        const tokens = await oidc.authorizationCodeGrant(config, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        return personFrom(await allClaims(config, tokens));
      } catch (error) {
        const failure = loginFailure(error);
        log.warn({ reason: reasonOf(error), code: failure.code }, 'login failed at the identity provider');
        throw failure;
      }
    },
  };
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

/** Some providers put e-mail and name into the ID token, some only into the user info. */
async function allClaims(config: oidc.Configuration, tokens: Tokens): Promise<object> {
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError('The identity provider sent no ID token');
  if (isComplete(claims) || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  return claimsOfBoth(claims, await oidc.fetchUserInfo(config, tokens.access_token, claims.sub));
}

function discovered(settings: ProviderSettings, log: Service['log']): () => Promise<oidc.Configuration> {
  let last: { configuration: oidc.Configuration; at: number } | undefined;
  const discoverOnce = singleFlight(() => discover(settings));

  return async () => {
    if (last && performance.now() - last.at < discoveredForMs) return last.configuration;
    try {
      last = { configuration: await discoverOnce(), at: performance.now() };
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, 'the identity provider was not discovered');
      // The configuration from an hour ago is probably still valid.
      if (!last) throw providerUnavailable(error);
    }
    return last.configuration;
  };
}

function discover({ issuer, clientId, clientSecret, allowHttp }: ProviderSettings): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(issuer), clientId, clientSecret, withSecret(clientSecret), {
    timeout: requestSeconds,
    // Verifies the signature of the ID token, although TLS already authenticates the provider.
    execute: [oidc.enableNonRepudiationChecks, ...(allowHttp ? [oidc.allowInsecureRequests] : [])],
    [oidc.customFetch]: boundedFetch,
  });
}

/** `client_secret_basic`, the default of OpenID Connect, unless the provider supports only `client_secret_post`. */
function withSecret(secret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return methods.includes('client_secret_basic') ? basic(server, ...request) : post(server, ...request);
  };
}

/** The messages of an error and of its cause; the objects themselves hold codes and tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
