import { randomBytes } from 'node:crypto';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createLoginAttempts } from './login-attempts.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const neverAborted = new AbortController().signal;

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'auth', migrations });
});
afterAll(() => database?.[Symbol.asyncDispose]());

test('any number of expired login attempts is deleted, and the others stay usable', async () => {
  const { db } = database;
  const attempts = createLoginAttempts({ db, keyEncryptionKey: randomBytes(32) });
  await db.query(statement`
    insert into login_attempts (state_hash, sealed_secrets, expires_at)
    select sha256(i::text::bytea), '', now() - interval '1 second' from generate_series(1, 2500) i
  `);
  const secrets = { state: 'of the test', nonce: 'a', codeVerifier: 'b' };
  await attempts.begin(secrets, {});

  await attempts.forgetExpired(neverAborted);

  const left = sql.type(z.object({ count: z.number() }))`select count(*)::int as count from login_attempts`;
  expect(await db.oneFirst(left)).toBe(1);
  expect(await attempts.useUp(secrets.state, undefined)).toEqual(secrets);
});
