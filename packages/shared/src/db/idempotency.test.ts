import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type OpenTestDatabase, openTestDatabase } from '../testing/open-test-database.ts';
import type { Database } from './database.ts';
import { answerOnce, type IdempotentRequest } from './idempotency.ts';

const nothing = sql.type(z.object({}));
const Boat = z.strictObject({ id: z.uuid(), name: z.string() });
const boat = sql.type(Boat);
const Created = z.strictObject({ created_token: z.string() });

let database: OpenTestDatabase;
let db: Database;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'auth', migrations: new URL('./test-migrations/', import.meta.url) });
  db = database.db;
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => db.query(nothing`truncate boats, idempotency_keys`));

const ada = { kind: 'user', id: randomUUID() };
const bob = { kind: 'user', id: randomUUID() };

const request = (changes: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  key: 'key-1',
  identity: ada,
  operation: 'boats.create',
  body: { name: 'a', colour: 'red' },
  hashKey: 'a secret of the service',
  ...changes,
});

const launch = (changes: Partial<IdempotentRequest> = {}, meanwhile: () => Promise<void> = async () => {}) =>
  db.transaction((tx) =>
    answerOnce(tx, request(changes), {
      answer: Boat,
      create: async () => {
        const launched = await tx.one(boat`insert into boats (name) values (${randomUUID()}) returning id, name`);
        await meanwhile();
        return launched;
      },
    }),
  );

const count = () => db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) as count from boats`);

test('the same request gets the first answer, and creates once', async () => {
  const first = await launch();

  expect(await launch()).toEqual(first);
  expect(await launch({ body: { colour: 'red', name: 'a' } })).toEqual(first);
  expect(await count()).toBe(1);
});

test.for([
  ['body', { body: { name: 'b', colour: 'red' } }],
  ['operation', { operation: 'harbours.create' }],
] as const)('the same key with another %s is refused', async ([, changes]) => {
  await launch();

  await expect(launch(changes)).rejects.toMatchObject({
    code: 'unprocessable',
    errors: [{ path: 'header.idempotency-key' }],
  });
});

test('the key of somebody else is another key', async () => {
  const first = await launch();

  expect(await launch({ identity: bob })).not.toEqual(first);
});

test('what failed is not remembered', async () => {
  const failing = launch({}, async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');

  await expect(launch()).resolves.toBeDefined();
  expect(await count()).toBe(1);
});

test('a request that comes meanwhile waits for the answer of the first', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const first = launch({}, async () => {
    begun.resolve();
    await gate.promise;
  });
  await begun.promise;
  const second = launch();
  await vi.waitFor(() => expect(waiting()).resolves.toBe(1));
  gate.resolve();

  expect(await second).toEqual(await first);
  expect(await count()).toBe(1);
});

test('a request that comes meanwhile gets a conflict when that takes too long', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const first = launch({}, async () => {
    begun.resolve();
    await gate.promise;
  });
  await begun.promise;

  await expect(launch()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('still being') });
  gate.resolve();
  await first;
});

test('a created token is not kept: its repetition names it', async () => {
  const id = randomUUID();
  const secret = 'canary-secret';
  const token = `${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}.${secret}`;
  const create = () =>
    db.transaction((tx) =>
      answerOnce(tx, request({ body: { password: 'canary-body' } }), {
        answer: Created,
        create: async () => ({ created_token: token }),
      }),
    );
  expect(await create()).toEqual({ created_token: token });

  await expect(create()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(id) });
  const kept = await db.oneFirst(
    sql.type(z.object({ row: z.string() }))`select idempotency_keys::text as row from idempotency_keys`,
  );
  expect(kept).not.toContain('canary');
});

test('after 24 hours a key is new, and the old ones are gone', async () => {
  await launch({ key: 'old' });
  await launch({ key: 'older' });
  await db.query(nothing`update idempotency_keys set created_at = now() - interval '25 hours'`);

  await launch({ key: 'old', body: { name: 'other' } });
  expect(await count()).toBe(3);
  const keys = await db.anyFirst(sql.type(z.object({ key: z.string() }))`select key from idempotency_keys`);
  expect(keys).toEqual(['old']);
});

const waiting = () =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `);
