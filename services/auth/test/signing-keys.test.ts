import { randomBytes } from 'node:crypto';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { logins } from '@berth/contracts/resources/accounts/logins';
import { signingKeys } from '@berth/contracts/resources/accounts/signing-keys';
import type { Database } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { sql } from 'slonik';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openKeyRing } from '../src/signing-keys/key-ring.ts';
import { createJwtIssuer } from '../src/tokens/jwt-issuer.ts';
import { createJwtVerifier } from '../src/tokens/jwt-verifier.ts';
import { startAuthProcess } from './support/auth-process.ts';
import { migrations, ownUrl, startAuth } from './support/auth-under-test.ts';
import { somebody } from './support/people.ts';

const keyEncryptionKey = randomBytes(32);
const stack = new AsyncDisposableStack();
let db: Database;

beforeEach(async () => {
  ({ db } = stack.use(await openTestDatabase({ service: 'auth', migrations })));
});
afterAll(() => stack.disposeAsync());

const keyRing = () => openKeyRing({ db, keyEncryptionKey, maxKeyAgeDays: 90 });
const daysLater = (days: number) =>
  db.query(statement`
    update signing_keys set
      created_at = created_at - make_interval(days => ${days}), signs_from = signs_from - make_interval(days => ${days})
  `);
const user = { id: '0b0ff6b8-9a15-4f0b-8b6e-0d8b2f1d3c55', session_epoch: 0 };
const lifetimes = { ownUrl, sessionSeconds: 600, deploymentTokenSeconds: 600 };

describe('signing keys', () => {
  test('are created once when many replicas start together', async () => {
    const rings = await Promise.all(Array.from({ length: 5 }, keyRing));

    const kids = rings.flatMap((ring) => ring.published().map(({ kid }) => kid));
    expect(kids).toHaveLength(5);
    expect(new Set(kids).size).toBe(1);
  });

  test('are published without their private half, which the database does not contain in plain text', async () => {
    const ring = await keyRing();
    const [published] = ring.published();
    const stored = await db.oneFirst(sql.type(z.object({ row: z.string() }))`
      select encode(sealed_private_jwk, 'escape') || public_jwk::text as row from signing_keys
    `);

    expect(published).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.stringMatching(/^[\w-]{43}$/),
      kid: expect.any(String),
      alg: 'EdDSA',
      use: 'sig',
    });
    expect(stored).not.toContain('"d"');
  });

  test('verify tokens in their published form', async () => {
    const ring = await keyRing();
    const { access_token } = await createJwtIssuer({ keyRing: ring, ...lifetimes }).forSession(user);

    const keys = createLocalJWKSet({ keys: ring.published() });

    await expect(jwtVerify(access_token, keys, { issuer: ownUrl, audience: ownUrl })).resolves.toMatchObject({
      payload: { identity: { User: user.id } },
    });
  });

  test('stop the start if they cannot be opened with the configured key', async () => {
    await keyRing();

    await expect(openKeyRing({ db, keyEncryptionKey: randomBytes(32), maxKeyAgeDays: 90 })).rejects.toThrow(
      'KEY_ENCRYPTION_KEY',
    );

    await daysLater(91);
    await expect(openKeyRing({ db, keyEncryptionKey: randomBytes(32), maxKeyAgeDays: 90 })).rejects.toThrow(
      'KEY_ENCRYPTION_KEY',
    );
    const kids = () => db.anyFirst(sql.type(z.object({ kid: z.string() }))`select kid from signing_keys`);
    expect(await kids()).toHaveLength(1);
  });

  test('rotate: the new one is published first, signs a minute later, and the old one still verifies', async () => {
    const ring = await keyRing();
    const other = await keyRing();
    const before = await createJwtIssuer({ keyRing: ring, ...lifetimes }).forSession(user);
    const oldKid = ring.signer().kid;

    await daysLater(91);
    await ring.refresh();
    await other.refresh();
    expect(ring.published()).toHaveLength(2);
    expect(other.published()).toEqual(ring.published());
    expect(ring.signer().kid).toBe(oldKid);

    await daysLater(1);
    await ring.refresh();
    await other.refresh();
    const after = await createJwtIssuer({ keyRing: ring, ...lifetimes }).forSession(user);
    expect(decodeProtectedHeader(after.access_token).kid).not.toBe(oldKid);
    const verify = createJwtVerifier({ keyRing: other, ownUrl });
    await expect(verify(before.access_token)).resolves.toMatchObject({ subject: { userId: user.id } });
    await expect(verify(after.access_token)).resolves.toMatchObject({ subject: { userId: user.id } });
  });

  test('are deleted when everything that they signed has expired', async () => {
    const ring = await keyRing();
    const { access_token } = await createJwtIssuer({ keyRing: ring, ...lifetimes }).forSession(user);
    const verify = createJwtVerifier({ keyRing: ring, ownUrl });
    await verify(access_token);

    for (const days of [91, 91]) {
      await daysLater(days);
      await ring.refresh();
    }

    expect(ring.published()).toHaveLength(2);
    await expect(verify(access_token)).rejects.toThrow('not valid');
  });
});

test('a second start finds keys and users again', async () => {
  await using auth = await startAuth();
  const ada = await somebody(auth);
  const published = await auth.gateway.call(signingKeys.operations.list, {});
  const body = { credential: { jwt: ada.jwt }, audience: 'tasks' } as const;
  const authenticate = () => auth.gateway.call(identities.operations.authenticate, { body });
  await authenticate();

  expect(await auth.service.stop()).toBe(0);
  await expect(authenticate()).rejects.toMatchObject({ code: 'unavailable' });
  await using again = await startAuthProcess(auth.settings, ['--admin-email=ada@example.test']);

  await expect(auth.gateway.call(signingKeys.operations.list, {})).resolves.toEqual(published);
  await expect(authenticate()).resolves.toMatchObject({ identity: { id: ada.id } });
  await expect(auth.gateway.call(logins.operations.start, {})).rejects.toMatchObject({ code: 'unavailable' });
  expect(await again.stop()).toBe(0);
});
