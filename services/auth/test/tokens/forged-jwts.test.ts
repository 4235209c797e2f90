import { createHmac, randomUUID } from 'node:crypto';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { signingKeys } from '@berth/contracts/resources/accounts/signing-keys';
import { unseal } from '@berth/db/sealing/seal';
import {
  CompactSign,
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
} from 'jose';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { jwtTypes } from '../../src/tokens/jwt-claims.ts';
import { type AuthUnderTest, ownUrl, startAuth } from '../support/auth-under-test.ts';
import { type Somebody, somebody } from '../support/people.ts';
import { refusal } from '../support/refusal.ts';

type Claims = Record<string, unknown>;
type Header = { alg: string; [name: string]: unknown };

let auth: AuthUnderTest;
let ada: Somebody;
let kid: string;
let ownKey: CryptoKey | Uint8Array;

beforeAll(async () => {
  auth = await startAuth();
  ada = await somebody(auth);
  kid = decodeProtectedHeader(ada.jwt).kid ?? '';
  ownKey = await signingKey();
});
afterAll(() => auth[Symbol.asyncDispose]());

/** The service's own key, so that a forgery is not refused because of its signature. */
async function signingKey() {
  const Row = z.object({ kid: z.string(), sealed_private_jwk: z.instanceof(Buffer) });
  const row = await auth.db.one(sql.type(Row)`select kid, sealed_private_jwk from signing_keys`);
  const keyEncryptionKey = Buffer.from(auth.settings['KEY_ENCRYPTION_KEY'] ?? '', 'base64');
  return importJWK(JSON.parse(unseal(keyEncryptionKey, row.kid, row.sealed_private_jwk).toString()), 'EdDSA');
}

const seconds = () => Math.floor(Date.now() / 1000);

const goodClaims = (): Claims => decodeJwt(ada.jwt);

const sign = (claims: Claims, header: Partial<Header> = {}, key: CryptoKey | Uint8Array = ownKey) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: jwtTypes.session, kid, ...header }).sign(key);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const unsigned = (header: Header, claims: Claims, signature = ''): string =>
  `${encoded(header)}.${encoded(claims)}.${signature}`;

const authenticate = (jwt: string) =>
  auth.gateway.call(identities.operations.authenticate, { body: { credential: { jwt }, audience: 'auth' } });

async function publicKeyText(): Promise<string> {
  const { keys } = await auth.gateway.call(signingKeys.operations.list, {});
  return keys[0]?.x ?? '';
}

const strangersKey = async () => (await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })).privateKey;

const withParts = (change: (parts: string[]) => string[]): string => change(ada.jwt.split('.')).join('.');

/** The forgeries, by their fault. */
const forgeries: Record<string, () => string | Promise<string>> = {
  'no signature at all': () => withParts(([header = '', claims = '']) => [header, claims, '']),
  'alg none': () => unsigned({ alg: 'none', typ: jwtTypes.session, kid }, goodClaims()),
  'alg None, in capitals': () => unsigned({ alg: 'None', typ: jwtTypes.session, kid }, goodClaims(), 'AAAA'),
  'alg HS256 with the public key as its secret': async () => {
    const signed = `${encoded({ alg: 'HS256', typ: jwtTypes.session, kid })}.${encoded(goodClaims())}`;
    const secret = Buffer.from(await publicKeyText(), 'base64url');
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  },
  'another key with our kid': async () => sign(goodClaims(), {}, await strangersKey()),
  'another key, included as jwk': async () => {
    const key = await strangersKey();
    const { kty, crv, x } = await exportJWK(key);
    return sign(goodClaims(), { kid: 'mine', jwk: { kty, crv, x } }, key);
  },
  'another key behind a jku': async () => sign(goodClaims(), { jku: 'http://127.0.0.1:1/jwks' }, await strangersKey()),
  'another key behind an x5u': async () => sign(goodClaims(), { x5u: 'http://127.0.0.1:1/x5u' }, await strangersKey()),
  'no kid': () => sign(goodClaims(), { kid: undefined }),
  'a kid that is a path': () => sign(goodClaims(), { kid: '../../../../dev/null' }),
  'a kid that is SQL': () => sign(goodClaims(), { kid: "' or '1'='1" }),
  'a kid that is a number': () =>
    unsigned({ alg: 'EdDSA', typ: jwtTypes.session, kid: 1 }, goodClaims(), 'A'.repeat(86)),
  'a kid that exists only in a prototype': () => sign(goodClaims(), { kid: '__proto__' }),
  'no typ': () => sign(goodClaims(), { typ: undefined }),
  'the typ of any JWT': () => sign(goodClaims(), { typ: 'JWT' }),
  'the typ of an identity token': () => sign(goodClaims(), { typ: 'identity+jwt' }),
  'the typ of a deployment': () => sign(goodClaims(), { typ: jwtTypes.deployment }),
  'a deployment in a session': () => sign({ ...goodClaims(), identity: { Deployment: randomUUID() } }),
  'two identities': () => sign({ ...goodClaims(), identity: { User: ada.id, Deployment: randomUUID() } }),
  'no identity': () => sign({ ...goodClaims(), identity: undefined }),
  'an identity that is not an id': () => sign({ ...goodClaims(), identity: { User: "' or true --" } }),
  'another issuer': () => sign({ ...goodClaims(), iss: 'https://elsewhere.test' }),
  'another audience': () => sign({ ...goodClaims(), aud: 'https://elsewhere.test' }),
  'our issuer with a slash': () => sign({ ...goodClaims(), iss: `${ownUrl}/` }),
  'no exp': () => sign({ ...goodClaims(), exp: undefined }),
  'an exp that is text': () =>
    unsigned({ alg: 'EdDSA', typ: jwtTypes.session, kid }, { ...goodClaims(), exp: 'never' }, 'A'.repeat(86)),
  'an nbf in the future': () => sign({ ...goodClaims(), nbf: seconds() + 60 }),
  'no jti': () => sign({ ...goodClaims(), jti: undefined }),
  'no session epoch': () => sign({ ...goodClaims(), session_epoch: undefined }),
  'an unknown claim': () => sign({ ...goodClaims(), is_admin: true }),
  'an unencoded payload': async () => {
    const payload = new TextEncoder().encode(JSON.stringify(goodClaims()));
    const header = { alg: 'EdDSA', typ: jwtTypes.session, kid, b64: true, crit: ['b64'] };
    return (await new CompactSign(payload).setProtectedHeader(header).sign(ownKey)).replace(
      /^[^.]+/,
      encoded({ ...header, b64: false }),
    );
  },
  'an unknown crit': () =>
    unsigned({ alg: 'EdDSA', typ: jwtTypes.session, kid, crit: ['admin'], admin: true }, goodClaims(), 'A'.repeat(86)),
  'a changed claim': () =>
    withParts(([header = '', , signature = '']) => [header, encoded({ ...goodClaims(), jti: 'x' }), signature]),
  'a changed signature': () =>
    withParts(([header = '', claims = '', signature = '']) => {
      const first = signature.startsWith('A') ? 'B' : 'A';
      return [header, claims, `${first}${signature.slice(1)}`];
    }),
  'a fourth part': () => `${ada.jwt}.AAAA`,
  'white space': () => ` ${ada.jwt}`,
  padding: () => `${ada.jwt}=`,
  'characters outside of base64url': () => ada.jwt.replace('.', '.ä'),
  'nothing in it': () => '',
  'dots only': () => '..',
  'a body without JSON': () => 'AAAA.AAAA.AAAA',
  'eight thousand characters': () => ada.jwt.padEnd(8_000, 'A'),
};

test.for(Object.keys(forgeries))('a JWT with %s is refused like any other', async (name) => {
  const jwt = (await forgeries[name]?.()) ?? '';

  await expect(authenticate(jwt)).rejects.toEqual(refusal('unauthenticated', 'The credential is missing or not valid'));
});

test('an expired JWT is refused as expired only with a valid signature', async () => {
  const old = { ...goodClaims(), iat: seconds() - 120, nbf: seconds() - 120, exp: seconds() - 60 };

  await expect(authenticate(await sign(old))).rejects.toEqual(refusal('token_expired'));
  await expect(authenticate(await sign(old, {}, await strangersKey()))).rejects.toEqual(refusal('unauthenticated'));
});

test('an identity token is not accepted as a credential', async () => {
  const { identity_token } = await authenticate(ada.jwt);

  await expect(authenticate(identity_token)).rejects.toEqual(refusal('unauthenticated'));
});

test('a JWT that was accepted before is refused once it has expired', async () => {
  const brief = await sign({ ...goodClaims(), exp: seconds() - 3 });
  await expect(authenticate(brief)).resolves.toMatchObject({ identity: { id: ada.id } });

  await expect.poll(() => authenticate(brief).catch((error: Error) => error)).toEqual(refusal('token_expired'));
});

test('a valid JWT is accepted, so each refusal above has one reason', async () => {
  await expect(authenticate(await sign({ ...goodClaims(), jti: randomUUID() }))).resolves.toMatchObject({
    identity: { id: ada.id },
  });
});
