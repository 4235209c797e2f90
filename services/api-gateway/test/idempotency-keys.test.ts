import { randomUUID } from 'node:crypto';
import { envs } from '@berth/contracts/resources/envs/envs';
import { logins } from '@berth/contracts/resources/accounts/logins';
import { once } from '@berth/db/idempotency/once';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from './support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from './support/start-test-gateway.ts';

// The tables that all services have are enough for an owner that remembers answers.
const migrations = new URL('../../../packages/shared/db/src/test-migrations/', import.meta.url);

let gateway: TestGateway;
let database: OpenTestDatabase;
let created = 0;

const newEnv = (name: string) => ({
  id: randomUUID(),
  created_at: '2026-01-02T03:04:05.678Z',
  name,
  node_selector: null,
  tolerations: null,
  auto_add_new_users: false,
});

beforeAll(async () => {
  gateway = await startTestGateway();
  database = await openTestDatabase({ service: 'auth', migrations });
  const { db } = database;
  await gateway.serve(
    'auth',
    testAuth(),
    some(logins, { finish: async () => ({ access_token: 'session' }) }),
    some(envs, {
      create: ({ body }, context) =>
        db.transaction((tx) =>
          once(tx, context, async () => {
            created += 1;
            return newEnv(body.name);
          }),
        ),
    }),
  );
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const create = (name: string, key?: string) =>
  gateway.send('POST', '/api/v2/envs', { name }, key === undefined ? {} : { 'idempotency-key': key });

test('a request that is repeated with its idempotency key gets the first answer, including its ETag', async () => {
  const key = `"${randomUUID()}"`;
  const before = created;

  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const answer = await create('harbour', key);
      return [answer.status, answer.headers.get('etag'), await answer.json()];
    }),
  );

  expect(answers).toEqual(Array.from({ length: 20 }, () => [201, expect.any(String), answers[0]?.[2]]));
  expect(created).toBe(before + 1);
  expect(await problemOf(await create('other', key))).toMatchObject({
    status: 422,
    code: 'unprocessable',
    errors: [{ path: 'headers.idempotency-key', message: 'was used with another request' }],
  });
});

test('creations without an idempotency key are all executed', async () => {
  const before = created;
  await create('harbour');
  await create('harbour');

  expect(created).toBe(before + 2);
});

test.for(['', 'x'.repeat(256), 'caf\u00e9'])('the idempotency key %j is refused', async (key) => {
  const before = created;

  expect(await problemOf(await create('harbour', key))).toMatchObject({
    status: 400,
    code: 'invalid',
    errors: [{ path: 'headers.idempotency-key', message: 'must be 1 to 255 printable ASCII characters' }],
  });
  expect(created).toBe(before);
});

test('an idempotency key of 255 characters is accepted', async () => {
  expect((await create('harbour', 'x'.repeat(255))).status).toBe(201);
});

test('a login ignores an idempotency key', async () => {
  const headers = { 'x-service-token': '', 'idempotency-key': 'x'.repeat(300) };
  const body = { auth_code: 'c', state: 's' };

  expect((await gateway.send('POST', '/api/v2/auth/idp/callback', body, headers)).status).toBe(200);
});
