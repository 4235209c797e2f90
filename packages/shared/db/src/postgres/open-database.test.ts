import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { freePort } from '@berth/testing/network/free-port';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { startTcpProxy } from '@berth/testing/network/tcp-proxy';
import type { Database, Queries } from '../database.ts';
import { databaseIsUp, openDatabase } from './open-database.ts';
import { statement } from '../statement.ts';

const migrations = new URL('../test-migrations/', import.meta.url);
const options = { migrations, applicationName: 'test', log: { info: () => {}, warn: () => {} } };
const boat = sql.type(z.strictObject({ name: z.string() }));

let database: OpenTestDatabase;
let db: Database;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
  db = database.db;
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => db.query(statement`truncate boats`));

const launch = (queries: Queries, name: string) => queries.query(statement`insert into boats (name) values (${name})`);
const boats = (queries: Queries) => queries.anyFirst(boat`select name from boats order by name`);

/** The error, with everything that a log would show of it. */
async function failureOf(work: Promise<unknown>): Promise<Error & { shown: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return Object.assign(error, { shown: shown(error) });
  }
  throw new Error('It did not fail');
}

const shown = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${JSON.stringify(error)} ${shown(error.cause)}` : '';

describe('a failed query', () => {
  test('is shown with neither SQL nor values', async () => {
    const values = ['canary-one', 'canary-two'];
    const failures = await Promise.all([
      failureOf(db.query(statement`insert into boats (id) values (${values[0] ?? ''})`)),
      failureOf(db.query(statement`insert into boats (name, weight) values (${values[1] ?? ''}, -1)`)),
      failureOf(db.query(statement`select ${'canary-three'}::jsonb`)),
      failureOf(db.query(statement`select canary_column_of_secrets(${'canary-four'})`)),
    ]);

    for (const { shown } of failures) expect(shown).not.toMatch(/canary-|insert into|select/);
  });

  test('is `timeout` when a statement takes too long or waits too long for a lock', async () => {
    await using patient = await openDatabase({ ...options, url: database.url, statementTimeoutMs: 200 });

    await expect(patient.query(statement`select pg_sleep(5)`)).rejects.toMatchObject({ code: 'timeout' });
    await expect.poll(() => databaseIsUp(patient)).toBe(true);

    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = db.transaction(async (tx) => {
      await tx.query(statement`lock table boats`);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    await expect(launch(patient, 'a')).rejects.toMatchObject({ code: 'timeout' });
    release.resolve();
    await holding;
  });

  test('is `unavailable` while all connections are taken, even for many waiting callers', async () => {
    await using narrow = await openDatabase({ ...options, url: database.url, maxConnections: 1 });
    const release = Promise.withResolvers<void>();
    const holding = narrow.transaction(() => release.promise);

    await expect(boats(narrow)).rejects.toMatchObject({ code: 'unavailable' });

    const crowd = await Promise.all(Array.from({ length: 25 }, () => failureOf(boats(narrow))));
    for (const failure of crowd) expect(failure).toMatchObject({ code: 'unavailable' });
    release.resolve();
    await holding;
    expect(await boats(narrow)).toEqual([]);
  });

  test('is `unavailable` if its connection was terminated; queries on other connections succeed', async () => {
    const sleeping = failureOf(db.query(statement`select pg_sleep(4)`));
    const inTransaction = failureOf(
      db.transaction(async (tx) => {
        await launch(tx, 'never');
        await tx.query(statement`select pg_sleep(4)`);
      }),
    );
    const end = sql.type(z.object({ pid: z.number(), ended: z.boolean() }));
    const ended = new Set<number>();
    await vi.waitFor(async () => {
      const found = await db.any(end`
        select pid, pg_terminate_backend(pid) as ended from pg_stat_activity
        where datname = current_database() and query like '%pg_sleep(4)%' and pid <> pg_backend_pid()
      `);
      for (const { pid } of found) ended.add(pid);
      expect(ended.size).toBe(2);
    });

    expect(await sleeping).toMatchObject({ code: 'unavailable', message: 'The database is not available' });
    expect(await inTransaction).toMatchObject({ code: 'unavailable' });
    expect(await boats(db)).toEqual([]);
  });
});

describe('an unreachable Postgres', () => {
  test('is `unavailable` during an outage and works again afterwards', async () => {
    await using proxy = await startTcpProxy(database.url);
    await using remote = await openDatabase({ ...options, url: proxy.url });
    await Promise.all([boats(remote), boats(remote), boats(remote)]);

    await proxy.refuse();
    const answers = await Promise.all(Array.from({ length: 30 }, () => failureOf(boats(remote))));
    for (const answer of answers) expect(answer).toMatchObject({ code: 'unavailable' });
    expect(await databaseIsUp(remote)).toBe(false);

    await proxy.restore();
    await vi.waitFor(() => expect(databaseIsUp(remote)).resolves.toBe(true));
    expect(await boats(remote)).toEqual([]);
  });

  test('makes queries `timeout` and drops their connections when it stops answering', async () => {
    await using proxy = await startTcpProxy(database.url);
    await using remote = await openDatabase({ ...options, url: proxy.url, statementTimeoutMs: 200, maxConnections: 2 });
    await vi.waitFor(() => boats(remote));

    proxy.silence();
    for (const _ of [1, 2]) await expect(boats(remote)).rejects.toMatchObject({ code: 'timeout' });
    // The next query needs a new connection, which gets no answer.
    await expect(boats(remote)).rejects.toMatchObject({ code: 'unavailable' });

    await proxy.restore();
    await vi.waitFor(async () => expect(await boats(remote)).toEqual([]));
  });

  test('is waited for at the start', async () => {
    await using proxy = await startTcpProxy(database.url);
    await proxy.refuse();
    const log = { info: vi.fn(), warn: vi.fn() };

    const opening = openDatabase({ ...options, url: proxy.url, log });
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalledWith(expect.anything(), 'waiting for Postgres'));
    await proxy.restore();

    await using opened = await opening;
    expect(await boats(opened)).toEqual([]);
  });

  test('is waited for only until the abort', async () => {
    const stop = new AbortController();
    const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
    const opening = openDatabase({ ...options, url, signal: stop.signal });
    stop.abort();

    await expect(opening).rejects.toThrow('aborted');
  });

  test('is not waited for if it is running but refuses the login', async () => {
    const url = Object.assign(new URL(database.url), { pathname: '/no_such_database' }).href;

    await expect(openDatabase({ ...options, url })).rejects.toThrow('no_such_database');
  });
});

test('all connections are open for the first queries, although opening one takes long', async () => {
  await using proxy = await startTcpProxy(database.url);
  await using opened = await openDatabase({ ...options, url: proxy.url, maxConnections: 10 });
  proxy.keepOthersWaiting();

  const first = await Promise.all(Array.from({ length: 10 }, () => boats(opened)));
  expect(first.flat()).toEqual([]);
});

test('a closed pool throws `unavailable`, and can be closed twice', async () => {
  const closed = await openDatabase({ ...options, url: database.url });
  await closed[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();

  await expect(boats(closed)).rejects.toMatchObject({ code: 'unavailable' });
});
