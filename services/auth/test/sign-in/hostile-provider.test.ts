import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthUnderTest, startAuth } from '../support/auth-under-test.ts';
import { type Exchange, type HostileProvider, startHostileProvider } from '../support/hostile-provider.ts';
import { finishLogin, startLogin } from '../support/login.ts';
import { refusal } from '../support/refusal.ts';

let provider: HostileProvider;
let auth: AuthUnderTest;
beforeAll(async () => {
  provider = await startHostileProvider('berth');
  auth = await startAuth({ OIDC_SERVER_URL: provider.issuer });
});
afterAll(async () => {
  await auth[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

async function logIn(onToken: HostileProvider['onToken']): Promise<unknown> {
  const { redirect_url, state, verifier } = await startLogin(auth.gateway);
  provider.nonce = new URL(redirect_url).searchParams.get('nonce') ?? '';
  provider.onToken = onToken;
  return finishLogin(auth.gateway, { auth_code: 'a-code', state, verifier });
}

const seconds = () => Math.floor(Date.now() / 1000);

test('an honest answer of the provider is accepted, so each refusal below has one reason', async () => {
  await expect(logIn(async ({ answer, sign, claims }) => answer({ id_token: await sign(claims()) }))).resolves.toEqual({
    access_token: expect.any(String),
  });
});

const lies: Record<string, (exchange: Exchange) => unknown> = {
  'without an ID token': ({ answer }) => answer({}),
  'with an ID token that is not a JWT': ({ answer }) => answer({ id_token: 'x.y.z' }),
  'with another nonce': async ({ answer, sign, claims }) =>
    answer({ id_token: await sign(claims({ nonce: 'other' })) }),
  'without a nonce': async ({ answer, sign, claims }) => answer({ id_token: await sign(claims({ nonce: undefined })) }),
  'of another issuer': async ({ answer, sign, claims }) =>
    answer({ id_token: await sign(claims({ iss: 'https://evil.test' })) }),
  'for another audience': async ({ answer, sign, claims }) =>
    answer({ id_token: await sign(claims({ aud: 'other' })) }),
  'that has expired': async ({ answer, sign, claims }) =>
    answer({ id_token: await sign(claims({ exp: seconds() - 600 })) }),
  'without a subject': async ({ answer, sign, claims }) => answer({ id_token: await sign(claims({ sub: undefined })) }),
  'signed with a key it does not publish': async ({ answer, signAsStranger, claims }) =>
    answer({ id_token: await signAsStranger(claims()) }),
  'signed by nobody, alg none': ({ answer, unsigned, claims }) => answer({ id_token: unsigned(claims()) }),
  'signed by HS256 with the public key': ({ answer, confused, claims }) => answer({ id_token: confused(claims()) }),
  'with a refusal': ({ response }) =>
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}'),
};

test.for(Object.keys(lies))('an answer of the provider %s is refused', async (name) => {
  await expect(logIn(lies[name] ?? (() => undefined))).rejects.toEqual(refusal('invalid_login'));
});

const nonsense: Record<string, (exchange: Exchange) => unknown> = {
  'with 500': ({ response }) => response.writeHead(500).end(),
  'with a page': ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  'with broken JSON': ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
  'with a redirect': ({ response }) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  'by hanging up': ({ response }) => response.destroy(),
  'with more than a mebibyte': ({ response }) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"x":"${'x'.repeat(2_000_000)}"}`),
  never: () => undefined,
};

test.for(Object.keys(nonsense))('a provider that answers %s is unavailable', async (name) => {
  await expect(logIn(nonsense[name] ?? (() => undefined))).rejects.toEqual(refusal('unavailable', 'identity provider'));
});

test('no answer quotes the provider, and the log contains neither code nor verifier', async () => {
  const lie = lies['with another nonce'];
  const error = await logIn(lie ?? (() => undefined)).catch((refused: Error) => refused);

  expect(String(error)).toBe('AppError: This login is unknown, has expired or was used already; start again');
  expect(auth.service.log()).toContain('login failed at the identity provider');
  expect(auth.service.log()).not.toContain('a-code');
  expect(auth.service.log()).not.toContain('eve@example.test');
  expect(auth.service.log()).not.toContain(auth.settings['OIDC_CLIENT_SECRET']);
});
