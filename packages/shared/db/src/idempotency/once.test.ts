import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Repeatable } from '@berth/bus/rpc/handler';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import type { Database } from '../database.ts';
import { statement } from '../statement.ts';
import { forgetIdempotencyKeys } from './forget-idempotency-keys.ts';
import { once } from './once.ts';

const Boat = z.strictObject({ id: z.uuid(), name: z.string() });
const boat = sql.type(Boat);
const Created = z.strictObject({ created_token: z.string() });

let database: OpenTestDatabase;
let db: Database;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'auth', migrations: new URL('../test-migrations/', import.meta.url) });
  db = database.db;
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => db.query(statement`truncate boats, idempotency_keys`));

const anIdentity = () => ({ kind: 'bot', id: randomUUID() }) as const;
const ada = anIdentity();
const bob = anIdentity();

type Request = Omit<Repeatable<never>, 'answerAgain'>;

const requestBy = <Answer>(schema: z.ZodType<Answer>, changes: Partial<Request> = {}) => ({
  repeatable: (): Repeatable<Answer> => ({
    key: 'key-1',
    identity: ada,
    operation: 'boats.create',
    request: { body: { name: 'a', colour: 'red' } },
    queued: () => null,
    answerAgain: (answer) => schema.parse(answer),
    ...changes,
  }),
});

const launchBoat = (context: Parameters<typeof once<z.infer<typeof Boat>>>[1], meanwhile = async () => {}) =>
  db.transaction((tx) =>
    once(tx, context, async () => {
      const launched = await tx.one(boat`insert into boats (name) values (${randomUUID()}) returning id, name`);
      await meanwhile();
      return launched;
    }),
  );

const launch = (changes: Partial<Request> = {}, meanwhile?: () => Promise<void>) =>
  launchBoat(requestBy(Boat, changes), meanwhile);

const count = () => db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) as count from boats`);

test('a repeated creation gets the first answer, and creates once', async () => {
  const first = await launch();

  expect(await launch()).toEqual(first);
  expect(await launch({ request: { body: { colour: 'red', name: 'a' } } })).toEqual(first);
  expect(await count()).toBe(1);
});

test.for([
  ['body', { request: { body: { name: 'b', colour: 'red' } } }],
  ['operation', { operation: 'harbours.create' }],
] as const)('the same key with another %s is refused', async ([, changes]) => {
  await launch();

  await expect(launch(changes)).rejects.toMatchObject({
    code: 'unprocessable',
    errors: [{ path: 'headers.idempotency-key' }],
  });
});

test('two identities can use the same idempotency key', async () => {
  const first = await launch();

  expect(await launch({ identity: bob })).not.toEqual(first);
});

test('a failed creation is not remembered', async () => {
  const failing = launch({}, async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');

  await expect(launch()).resolves.toBeDefined();
  expect(await count()).toBe(1);
});

test('a repeat of a creation in flight waits for the first answer', async () => {
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

test('a repeat of a creation in flight gets a conflict when the first takes too long', async () => {
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

test('the secret of a created token is not stored: a repeat is refused with the id of the token', async () => {
  const id = randomUUID();
  const secret = 'canary-secret';
  const token = `${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}.${secret}`;
  const create = () =>
    db.transaction((tx) =>
      once(tx, requestBy(Created, { request: { body: { password: 'canary-body' } } }), async () => ({
        created_token: token,
      })),
    );
  expect(await create()).toEqual({ created_token: token });

  await expect(create()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(id) });
  const kept = await db.oneFirst(
    sql.type(z.object({ row: z.string() }))`select idempotency_keys::text as row from idempotency_keys`,
  );
  expect(kept).not.toContain('canary');
});

test('without an idempotency key every request creates', async () => {
  const noKey = { repeatable: () => undefined };

  expect(await launchBoat(noKey)).not.toEqual(await launchBoat(noKey));
  expect(await count()).toBe(2);
});

test('twenty concurrent repeats create once', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => launch()));

  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(await count()).toBe(1);
});

test('an idempotency key expires after 24 hours, and not before', async () => {
  const first = await launch();
  await db.query(statement`update idempotency_keys set created_at = now() - interval '23 hours'`);
  expect(await launch()).toEqual(first);
  await db.query(statement`update idempotency_keys set created_at = now() - interval '24 hours 1 second'`);

  const again = { request: { body: { name: 'other' } } };
  expect(await launch(again)).not.toEqual(first);
  await expect(launch()).rejects.toMatchObject({ code: 'unprocessable' });
});

test('expired idempotency keys are deleted, in several statements if there are many', async () => {
  await db.query(statement`
    insert into idempotency_keys (identity, key, request_hash, created_at)
    select 'bot 1', n::text, '', now() - interval '25 hours' from generate_series(1, 1100) n
  `);
  await launch();

  const stop = new AbortController();
  const forgetting = forgetIdempotencyKeys({ db })(stop.signal);
  await vi.waitFor(async () => {
    const keys = await db.anyFirst(sql.type(z.object({ key: z.string() }))`select key from idempotency_keys`);
    expect(keys).toEqual(['key-1']);
  });
  stop.abort();
  await forgetting;
});

test('each service hashes requests with its own secret', async () => {
  const keys = sql.type(z.object({ key: z.string() }))`select encode(hash_key, 'hex') as key from idempotency_hash_key`;
  const migrations = new URL('../test-migrations/', import.meta.url);
  await using other = await openTestDatabase({ service: 'tasks', migrations });

  const [mine, theirs] = [await db.oneFirst(keys), await other.db.oneFirst(keys)];
  expect(mine).toMatch(/^[0-9a-f]{64}$/);
  expect(theirs).not.toBe(mine);
});

const waiting = () =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `);
