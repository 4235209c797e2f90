import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { freePort } from '../testing/free-port.ts';
import { type OpenTestDatabase, openTestDatabase } from '../testing/open-test-database.ts';
import { startTcpProxy } from '../testing/tcp-proxy.ts';
import type { Database, Queries, Transaction } from './database.ts';
import { databaseIsUp, openDatabase } from './open-database.ts';

const migrations = new URL('./test-migrations/', import.meta.url);
const options = { migrations, applicationName: 'test', log: { info: () => {}, warn: () => {} } };
const nothing = sql.type(z.object({}));
const boat = sql.type(z.strictObject({ name: z.string() }));

let database: OpenTestDatabase;
let db: Database;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
  db = database.db;
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => db.query(nothing`truncate boats`));

const launch = (queries: Queries, name: string) => queries.query(nothing`insert into boats (name) values (${name})`);
const boats = (queries: Queries) => queries.anyFirst(boat`select name from boats order by name`);

/** What is thrown, with everything that a log would show of it. */
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

describe('rows', () => {
  test('come as plain values: times are ISO strings in UTC, bigints and counts are numbers', async () => {
    const row = sql.type(z.record(z.string(), z.unknown()));

    expect(
      await db.one(row`
        select timestamptz '2024-05-06 09:08:07.1+02' as time, timestamptz '2024-05-06 09:08:07+02' as whole,
          array[timestamptz '2024-05-06Z', null] as times, 7::bigint as big, array[1, 2]::bigint[] as bigs,
          array[]::bigint[] as none, '{"a": [1.5]}'::jsonb as json, date '2024-05-06' as day, count(*) as count,
          9007199254740993::bigint as too_big, timestamptz 'infinity' as never, null::timestamptz as nothing
      `),
    ).toEqual({
      time: '2024-05-06T07:08:07.100Z',
      whole: '2024-05-06T07:08:07.000Z',
      times: ['2024-05-06T00:00:00.000Z', null],
      big: 7,
      bigs: [1, 2],
      none: [],
      json: { a: [1.5] },
      day: '2024-05-06',
      count: 1,
      too_big: '9007199254740993',
      never: 'infinity',
      nothing: null,
    });
  });

  test('that do not fit the schema of their query are an error that names the column, not the value', async () => {
    const failure = await failureOf(db.any(boat`select 4711 as name`));

    expect(failure.message).toMatch(/column name: .*expected string/);
    expect(failure.shown).not.toContain('4711');
    await expect(db.any(boat`select 'a' as name, 1 as extra`)).rejects.toThrow(/extra/);
  });

  test('are as many as the verb says', async () => {
    await launch(db, 'a');
    await launch(db, 'b');

    expect(await db.maybeOne(boat`select name from boats where name = 'a'`)).toEqual({ name: 'a' });
    expect(await db.maybeOne(boat`select name from boats where name = 'x'`)).toBeNull();
    expect(await db.exists(boat`select name from boats`)).toBe(true);
    expect(await db.oneFirst(boat`select name from boats where name = 'a'`)).toBe('a');
    expect(await db.maybeOneFirst(boat`select name from boats where name = 'x'`)).toBeNull();
    expect(await db.query(nothing`delete from boats`)).toMatchObject({ rowCount: 2 });
    await expect(db.one(boat`select name from boats`)).rejects.toThrow('expected one row, got 0');
    await expect(db.many(boat`select name from boats`)).rejects.toThrow('expected one row or more, got 0');
    await expect(db.maybeOne(boat`select name from (values ('a'), ('b')) as two(name)`)).rejects.toThrow(
      'expected one row at most, got 2',
    );
  });

  test('stay right when a statement is prepared', async () => {
    for (let i = 0; i < 10; i += 1) await launch(db, `boat ${i}`);

    expect(await boats(db)).toHaveLength(10);
  });
});

describe('transactions', () => {
  test('keep all or nothing', async () => {
    await db.transaction((tx) => launch(tx, 'kept'));
    const failing = db.transaction(async (tx) => {
      await launch(tx, 'dropped');
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    expect(await boats(db)).toEqual(['kept']);
  });

  test('are not taken for committed when a statement failed and nobody said so', async () => {
    const swallowing = db.transaction(async (tx) => {
      await launch(tx, 'a');
      await launch(tx, 'a').catch(() => undefined);
    });

    await expect(swallowing).rejects.toThrow('rolled back');
    expect(await boats(db)).toEqual([]);
  });

  test('nest as savepoints', async () => {
    await db.transaction(async (tx) => {
      await launch(tx, 'outer');
      await tx.transaction((inner) => launch(inner, 'inner'));
      const failing = tx.transaction(async (inner) => {
        await launch(inner, 'undone');
        await inner.transaction((innermost) => launch(innermost, 'outer'));
      });
      await expect(failing).rejects.toMatchObject({ constraint: 'boats_name_key' });
    });

    expect(await boats(db)).toEqual(['inner', 'outer']);
  });

  test('tell once when they are committed, and never when they are not', async () => {
    const told: string[] = [];
    const tell = () => void told.push('committed');

    await db.transaction(async (tx) => {
      tx.afterCommit(tell);
      await tx.transaction(async (inner) => inner.afterCommit(tell));
      expect(told).toEqual([]);
    });
    const failing = db.transaction(async (tx) => {
      tx.afterCommit(tell);
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    expect(told).toEqual(['committed']);
  });

  test('take several questions at once, one after the other', async () => {
    await db.transaction(async (tx) => {
      await Promise.all(['a', 'b', 'c'].map((name) => launch(tx, name)));
    });

    expect(await boats(db)).toEqual(['a', 'b', 'c']);
  });

  test('refuse a query that goes around them, and one that comes after them', async () => {
    const late = await db.transaction(async (tx): Promise<Transaction> => tx);

    await expect(db.transaction(async () => boats(db))).rejects.toThrow('its own `tx`');
    await expect(boats(late)).rejects.toThrow('over');
  });

  test('run nothing outside of themselves of what they left behind', async () => {
    let stray: Promise<unknown> = Promise.resolve();
    const failing = db.transaction(async (tx) => {
      stray = failureOf(sleep(1).then(() => launch(tx, 'stray')));
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    await stray;
    expect(await boats(db)).toEqual([]);
  });

  test('leave alone what was started in them and goes on after them', async () => {
    const gate = Promise.withResolvers<void>();
    let later: Promise<unknown> = Promise.resolve();
    await db.transaction(async () => {
      later = gate.promise.then(() => boats(db));
    });
    gate.resolve();

    await expect(later).resolves.toEqual([]);
  });

  test('that block each other are run again', async () => {
    await launch(db, 'a');
    await launch(db, 'b');
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const repaint = (first: string, second: string) =>
      db.transaction(async (tx) => {
        await tx.query(nothing`update boats set weight = coalesce(weight, 0) + 1 where name = ${first}`);
        waiting += 1;
        if (waiting === 2) both.resolve();
        await both.promise;
        await tx.query(nothing`update boats set weight = coalesce(weight, 0) + 1 where name = ${second}`);
      });

    await Promise.all([repaint('a', 'b'), repaint('b', 'a')]);

    const weights = await db.anyFirst(sql.type(z.object({ weight: z.number() }))`select weight from boats`);
    expect(weights).toEqual([2, 2]);
  });

  test('leave no connection behind in the middle of one', async () => {
    for (let i = 0; i < 30; i += 1) {
      await db.transaction(async (tx) => tx.query(nothing`select 1 / 0`)).catch(() => undefined);
    }

    const open = sql.type(z.object({ count: z.number() }));
    expect(
      await db.oneFirst(open`
        select count(*) as count from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'
      `),
    ).toBe(0);
  });
});

describe('what fails', () => {
  test('says neither SQL nor values', async () => {
    const values = ['canary-one', 'canary-two'];
    const failures = await Promise.all([
      failureOf(db.query(nothing`insert into boats (id) values (${values[0] ?? ''})`)),
      failureOf(db.query(nothing`insert into boats (name, weight) values (${values[1] ?? ''}, -1)`)),
      failureOf(db.query(nothing`select ${'canary-three'}::jsonb`)),
      failureOf(db.query(nothing`select canary_column_of_secrets(${'canary-four'})`)),
    ]);

    for (const { shown } of failures) expect(shown).not.toMatch(/canary-|insert into|select/);
  });

  test('is `timeout` when a statement takes too long or waits too long for a lock', async () => {
    await using patient = await openDatabase({ ...options, url: database.url, statementTimeoutMs: 200 });

    await expect(patient.query(nothing`select pg_sleep(5)`)).rejects.toMatchObject({ code: 'timeout' });
    expect(await databaseIsUp(patient)).toBe(true);

    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = db.transaction(async (tx) => {
      await tx.query(nothing`lock table boats`);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    await expect(launch(patient, 'a')).rejects.toMatchObject({ code: 'timeout' });
    release.resolve();
    await holding;
  });

  test('is `unavailable` within a second when every connection is taken', async () => {
    await using narrow = await openDatabase({ ...options, url: database.url, maxConnections: 1 });
    const release = Promise.withResolvers<void>();
    const holding = narrow.transaction(() => release.promise);

    const asked = performance.now();
    await expect(boats(narrow)).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - asked).toBeLessThan(1_000);

    const crowd = Array.from({ length: 25 }, () => failureOf(boats(narrow)));
    await Promise.race(crowd);
    expect(performance.now() - asked).toBeLessThan(1_500);
    release.resolve();
    await holding;
    await Promise.allSettled(crowd);
    expect(await boats(narrow)).toEqual([]);
  });

  test('is `unavailable` for what was under way on a connection that is ended, and nothing else', async () => {
    const sleeping = failureOf(db.query(nothing`select pg_sleep(4)`));
    const inTransaction = failureOf(
      db.transaction(async (tx) => {
        await launch(tx, 'never');
        await tx.query(nothing`select pg_sleep(4)`);
      }),
    );
    const end = sql.type(z.object({ ended: z.boolean() }));
    await vi.waitFor(async () => {
      const ended = await db.any(end`
        select pg_terminate_backend(pid) as ended from pg_stat_activity
        where datname = current_database() and query like '%pg_sleep(4)%' and pid <> pg_backend_pid()
      `);
      expect(ended.length).toBeGreaterThanOrEqual(1);
      await sleep(50);
      expect(await Promise.race([Promise.all([sleeping, inTransaction]), sleep(50)])).toBeDefined();
    });

    expect(await sleeping).toMatchObject({ code: 'unavailable', message: 'The database is not available' });
    expect(await inTransaction).toMatchObject({ code: 'unavailable' });
    expect(await boats(db)).toEqual([]);
  });
});

describe('a Postgres that goes away', () => {
  test('is `unavailable` within a second while it is away, and asked again when it is back', async () => {
    await using proxy = await startTcpProxy(database.url);
    await using remote = await openDatabase({ ...options, url: proxy.url });
    await Promise.all([boats(remote), boats(remote), boats(remote)]);

    await proxy.refuse();
    const asked = performance.now();
    const answers = await Promise.all(Array.from({ length: 30 }, () => failureOf(boats(remote))));
    expect(performance.now() - asked).toBeLessThan(1_000);
    for (const answer of answers) expect(answer).toMatchObject({ code: 'unavailable' });
    expect(await databaseIsUp(remote)).toBe(false);

    await proxy.restore();
    await vi.waitFor(() => expect(databaseIsUp(remote)).resolves.toBe(true));
    expect(await boats(remote)).toEqual([]);
  });

  test('is `timeout` when it says nothing any more, and its connections are given up', async () => {
    await using proxy = await startTcpProxy(database.url);
    await using remote = await openDatabase({ ...options, url: proxy.url, statementTimeoutMs: 200, maxConnections: 2 });
    await boats(remote);

    proxy.silence();
    await expect(boats(remote)).rejects.toMatchObject({ code: 'timeout' });
    // What comes now needs a new connection, which nobody answers.
    await expect(boats(remote)).rejects.toMatchObject({ code: 'unavailable' });

    await proxy.restore();
    expect(await boats(remote)).toEqual([]);
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

  test('is waited for no longer than until the abort', async () => {
    const stop = new AbortController();
    const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
    const opening = openDatabase({ ...options, url, signal: stop.signal });
    stop.abort();

    await expect(opening).rejects.toThrow('aborted');
  });

  test('is not waited for when it is there and refuses us', async () => {
    const url = Object.assign(new URL(database.url), { pathname: '/no_such_database' }).href;

    await expect(openDatabase({ ...options, url })).rejects.toThrow('no_such_database');
  });
});

test('a closed pool answers `unavailable`, and closing it twice is harmless', async () => {
  const closed = await openDatabase({ ...options, url: database.url });
  await closed[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();

  await expect(boats(closed)).rejects.toMatchObject({ code: 'unavailable' });
});
