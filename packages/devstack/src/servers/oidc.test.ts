import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startForTest } from '../testing/with-servers.ts';
import { type OidcServer, startOidc } from './oidc.ts';
import { signInWithHttp } from './oidc-sign-in.ts';

const client = { clientId: 'berth', redirectUris: ['http://127.0.0.1:1/auth/idp/callback'] };

test('choosing a person on the sign-in page yields a code for an ID token with name and e-mail', async () => {
  const start = await startForTest();
  const oidc = await startOidc({ ...start, ...client });
  const verifier = randomBytes(32).toString('base64url');

  const callback = new URL(await signInWithHttp('ada', authorizationUrl(oidc, { verifier, state: 'mine' })));
  const claims = await claimsFor(oidc, callback, verifier);

  expect(callback.searchParams.get('state')).toBe('mine');
  expect(callback.searchParams.get('iss')).toBe(oidc.issuer);
  expect(claims).toMatchObject({ sub: 'ada', name: 'Ada Lovelace', email: 'ada@example.test', email_verified: true });
  await oidc.stop();
});

test('a code cannot be exchanged without its verifier', async () => {
  const start = await startForTest();
  const oidc = await startOidc({ ...start, ...client });

  const callback = new URL(
    await signInWithHttp(
      'grace',
      authorizationUrl(oidc, { verifier: randomBytes(32).toString('base64url'), state: 'x' }),
    ),
  );

  await expect(claimsFor(oidc, callback, randomBytes(32).toString('base64url'))).rejects.toThrow('invalid_grant');
  await oidc.stop();
});

test('an unknown person and a foreign redirect are refused', async () => {
  const start = await startForTest();
  const oidc = await startOidc({ ...start, ...client });
  const url = authorizationUrl(oidc, { verifier: 'v'.repeat(43), state: 'x' });
  const elsewhere = url.replace(
    encodeURIComponent(client.redirectUris[0] ?? ''),
    encodeURIComponent('http://127.0.0.1:2/'),
  );

  await expect(signInWithHttp('nobody', url)).rejects.toThrow('sign-in of nobody was refused with 400');
  await expect(signInWithHttp('ada', elsewhere)).rejects.toThrow('refused with 400');
  await oidc.stop();
});

test('a restarted provider has the same address, secret and signing key', async () => {
  const start = await startForTest();
  const first = await startOidc({ ...start, ...client });
  const keys = await jwksOf(first);
  await first.stop();

  const second = await startOidc({ ...start, ...client });

  expect({ issuer: second.issuer, secret: second.clientSecret }).toEqual({
    issuer: first.issuer,
    secret: first.clientSecret,
  });
  expect(await jwksOf(second)).toEqual(keys);
  expect((await stat(join(start.stateFolder, 'oidc', 'oidc.json'))).mode & 0o777).toBe(0o600);
  await second.stop();
});

function authorizationUrl({ issuer }: OidcServer, { verifier, state }: { verifier: string; state: string }): string {
  const query = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: client.redirectUris[0] ?? '',
    response_type: 'code',
    scope: 'openid profile email',
    state,
    nonce: 'nonce',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `${issuer}/auth?${query.toString()}`;
}

async function claimsFor(oidc: OidcServer, callback: URL, verifier: string): Promise<unknown> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: client.redirectUris[0] ?? '',
    code_verifier: verifier,
  });
  const authorization = `Basic ${btoa(`${client.clientId}:${encodeURIComponent(oidc.clientSecret)}`)}`;
  const response = await fetch(`${oidc.issuer}/token`, { method: 'POST', body, headers: { authorization } });
  const answer: { id_token: string; error?: string } = JSON.parse(await response.text());
  if (!response.ok) throw new Error(answer.error);

  const [header = '', payload = '', signature = ''] = answer.id_token.split('.');
  const { keys } = await jwksOf(oidc);
  const key = createPublicKey({ format: 'jwk', key: keys[0] ?? {} });
  expect(verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

async function jwksOf({ issuer }: OidcServer): Promise<{ keys: Record<string, string>[] }> {
  return JSON.parse(await (await fetch(`${issuer}/jwks`)).text());
}
