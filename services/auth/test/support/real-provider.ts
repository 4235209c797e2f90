import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '@berth/shared/testing/free-port';
import { exportJWK, generateKeyPair } from 'jose';
import { type KoaContextWithOIDC, Provider } from 'oidc-provider';

export type ProviderClaims = Record<string, unknown> & { sub: string };

export interface RealProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Persons that can sign in, by subject; tests change it. */
  readonly people: Map<string, ProviderClaims>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface RealProviderOptions {
  redirectUri: string;
  /** Name and e-mail only from the user info, as the specification has it. */
  claimsOnlyInUserInfo?: boolean;
}

/** `oidc-provider` with accounts that a test makes up. One signs in by posting `person=<subject>`. */
export async function startRealProvider(options: RealProviderOptions): Promise<RealProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const [clientId, clientSecret] = ['berth', `${randomBytes(24).toString('base64')}:+ %`];
  const people = new Map<string, ProviderClaims>();
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });

  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [options.redirectUri] }],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: options.claimsOnlyInUserInfo ?? false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
    findAccount: (_context, accountId) => {
      const claims = people.get(accountId);
      return claims && { accountId, claims: () => claims };
    },
    loadExistingGrant: grantAll,
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  });
  const answer = provider.callback();

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const accountId = new URLSearchParams(await text(request)).get('person') ?? '';
    await provider.interactionFinished(request, response, { login: { accountId } });
  }

  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/sign-in/')) void answer(request, response);
    else if (request.method === 'POST') void signIn(request, response);
    else response.end('who are you?');
  });

  const start = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stop = async () => {
    server.close();
    server.closeAllConnections();
  };
  await start();
  return { issuer, clientId, clientSecret, people, start, stop, [Symbol.asyncDispose]: stop };
}

async function grantAll({ oidc }: KoaContextWithOIDC) {
  const accountId = oidc.session?.accountId;
  const clientId = oidc.client?.clientId;
  if (accountId === undefined || clientId === undefined) return undefined;
  const grant = new oidc.provider.Grant({ accountId, clientId });
  grant.addOIDCScope('openid profile email');
  await grant.save();
  return grant;
}
