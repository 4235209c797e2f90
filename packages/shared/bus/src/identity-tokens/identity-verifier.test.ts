import { generateKeyPairSync } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '@berth/contracts/errors';
import { identityToken, sampleIdentities, testKeys } from '@berth/testing/test-identities';
import { createIdentitySigner, type PrivateJwk } from './identity-token.ts';
import { createIdentityVerifier } from './identity-verifier.ts';
import { packIdentity } from './pack-identity.ts';

afterEach(() => {
  vi.useRealTimers();
});

const verifier = createIdentityVerifier({ fetchKeys: async () => testKeys.publicJwks });
const verify = (presented: string) => verifier(presented, 'tasks');
const { bot, maintainer } = sampleIdentities;
const maintainerPacked = packIdentity(maintainer);

function newKey(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const shape = { kid, alg: 'EdDSA', use: 'sig', kty: 'OKP', crv: 'Ed25519' } as const;
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { privateJwk: { ...privateKey.export({ format: 'jwk' }), kid }, publicJwk: { ...shape, x } };
}

interface Claims {
  header?: Record<string, unknown>;
  issuer?: string;
  audience?: string | string[];
  expires?: string | number;
  key?: PrivateJwk;
  identity?: unknown;
}

/** A token as `auth` signs it, except for the given parts. */
async function token({ header, issuer, audience, expires, key = testKeys.privateJwk, identity = bot }: Claims) {
  return new SignJWT({ identity })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'identity+jwt', kid: key.kid, ...header })
    .setIssuer(issuer ?? 'berth')
    .setAudience(audience ?? 'tasks')
    .setIssuedAt()
    .setExpirationTime(expires ?? '60s')
    .sign(await importJWK(key, 'EdDSA'));
}

describe('an identity token', () => {
  test.for(Object.entries(sampleIdentities))('an identity token of a %s yields its identity', async ([, identity]) => {
    await expect(verify(await identityToken(identity, 'tasks'))).resolves.toEqual(identity);
  });

  test('an unmodified identity token is accepted, so each refusal below has one reason', async () => {
    await expect(verify(await token({}))).resolves.toEqual(bot);
  });

  test.for<[string, Claims]>([
    ['another type', { header: { typ: 'JWT' } }],
    ['no type', { header: { typ: undefined } }],
    ['another issuer', { issuer: 'someone' }],
    ['another audience', { audience: 'auth' }],
    ['several audiences', { audience: ['tasks', 'auth'] }],
    ['no audience', { audience: [] }],
    ['ids that are cut short', { identity: { ...maintainerPacked, env_roles: { User: 'AAAA' } } }],
    ['an end in the past', { expires: Math.floor(Date.now() / 1000) - 30 }],
    ['an unknown key', { key: newKey('unknown').privateJwk }],
    ['a foreign key under a known name', { key: newKey('test').privateJwk }],
    ['an identity of no kind', { identity: { kind: 'root' } }],
    ['more than an identity', { identity: { ...bot, is_admin: true } }],
  ])('an identity token with %s is unauthenticated', async ([, claims]) => {
    await expect(verify(await token(claims))).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test.for(['', 'x', 'a.b.c', `${btoa('{"alg":"none","typ":"identity+jwt","kid":"test"}')}.e30.`])(
    'an invalid identity token (%s) is unauthenticated',
    async (text) => {
      await expect(verify(text)).rejects.toMatchObject({ code: 'unauthenticated' });
    },
  );

  test('signed with the public key as a shared secret is unauthenticated', async () => {
    const secret = Buffer.from(testKeys.publicJwks[0]?.x ?? '', 'base64url');
    const forged = await new SignJWT({ identity: bot })
      .setProtectedHeader({ alg: 'HS256', typ: 'identity+jwt', kid: 'test' })
      .setIssuer('berth')
      .setAudience('tasks')
      .setIssuedAt()
      .setExpirationTime('60s')
      .sign(secret);

    await expect(verify(forged)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('a cached identity token is refused after it expires', async () => {
    const good = await token({});
    await expect(verify(good)).resolves.toEqual(bot);

    vi.useFakeTimers({ now: Date.now() + 70_000, toFake: ['Date'] });

    await expect(verify(good)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

test('an identity token that a verifier has cached is refused for another audience', async () => {
  const good = await token({});
  await expect(verifier(good, 'tasks')).resolves.toEqual(bot);

  await expect(verifier(good, 'auth')).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(verifier(good, 'tasks')).resolves.toEqual(bot);
});

describe('the signing keys of identity tokens', () => {
  test('are fetched once for many tokens, and each token is checked once', async () => {
    const fetchKeys = vi.fn(async () => testKeys.publicJwks);
    const verifier = createIdentityVerifier({ fetchKeys });
    const good = await token({});

    const answers = await Promise.all(Array.from({ length: 50 }, () => verifier(good, 'tasks')));

    expect(fetchKeys).toHaveBeenCalledTimes(1);
    expect(new Set(answers).size).toBe(1);
  });

  test('are fetched again for an unknown key id, but not for each one', async () => {
    const next = newKey('next');
    const keys = [...testKeys.publicJwks];
    const fetchKeys = vi.fn(async () => keys);
    const verifier = createIdentityVerifier({ fetchKeys, refetchAfterMs: 50 });
    await verifier(await token({}), 'tasks');
    const rotated = await (await createIdentitySigner(next.privateJwk))(bot, 'tasks');

    await expect(verifier(rotated, 'tasks')).rejects.toMatchObject({ code: 'unauthenticated' });
    keys.push(next.publicJwk);

    await expect.poll(() => verifier(rotated, 'tasks').catch(() => null)).toEqual(bot);
    expect(fetchKeys.mock.calls.length).toBeLessThanOrEqual(3);
  });

  test('make the verifier answer unavailable, not unauthenticated, while they cannot be fetched', async () => {
    const verifier = createIdentityVerifier({
      fetchKeys: () => Promise.reject(new AppError('unavailable', 'auth is away')),
    });

    await expect(verifier(await token({}), 'tasks')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
