import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '@berth/testing/network/free-port';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface Exchange {
  issuer: string;
  /** The nonce of the authorization URL. */
  nonce: string;
  claims(change?: Record<string, unknown>): JWTPayload;
  /** Signs with the key that the provider publishes. */
  sign(claims: JWTPayload): Promise<string>;
  /** Signs with a key that the provider does not publish. */
  signAsStranger(claims: JWTPayload): Promise<string>;
  unsigned(claims: JWTPayload): string;
  /** Signs by HS256 with the public key as the secret. */
  confused(claims: JWTPayload): string;
  answer(body: object): void;
  response: ServerResponse;
}

export interface HostileProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Answers the next exchange of a code. */
  onToken: (exchange: Exchange) => unknown;
  /** Set by the test from the authorization URL. */
  nonce: string;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An OpenID Connect provider whose answers a test can falsify. */
export async function startHostileProvider(clientId: string): Promise<HostileProvider> {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const published = await generateKeyPair('RS256');
  const stranger = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(published.publicKey)), kid: 'k', use: 'sig', alg: 'RS256' };
  const self: HostileProvider = { issuer, nonce: '', onToken: () => undefined, [Symbol.asyncDispose]: stop };

  const json = (response: ServerResponse, body: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const signWith = (key: CryptoKeyLike) => (claims: JWTPayload) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(key);

  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  };
  const exchange = (response: ServerResponse): Exchange => ({
    issuer,
    nonce: self.nonce,
    response,
    claims: (change = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const person = { sub: 'eve', name: 'Eve', email: 'eve@example.test', email_verified: true };
      return { iss: issuer, aud: clientId, iat: now, exp: now + 60, nonce: self.nonce, ...person, ...change };
    },
    sign: signWith(published.privateKey),
    signAsStranger: signWith(stranger.privateKey),
    unsigned: (claims) => `${encoded({ alg: 'none' })}.${encoded(claims)}.`,
    confused: (claims) => {
      const signed = `${encoded({ alg: 'HS256', kid: 'k' })}.${encoded(claims)}`;
      return `${signed}.${createHmac('sha256', jwk.n ?? '')
        .update(signed)
        .digest('base64url')}`;
    },
    answer: (body) => json(response, { access_token: 'at', token_type: 'bearer', ...body }),
  });

  const server = createServer((request, response) => {
    if (request.url === '/.well-known/openid-configuration') json(response, metadata);
    else if (request.url === '/jwks') json(response, { keys: [jwk] });
    else void text(request).then(() => self.onToken(exchange(response)));
  });
  server.listen(Number(new URL(issuer).port), '127.0.0.1');
  await once(server, 'listening');

  async function stop() {
    server.close();
    server.closeAllConnections();
  }
  return self;
}

type CryptoKeyLike = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
