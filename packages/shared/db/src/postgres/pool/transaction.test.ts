import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import type { Database, Queries, Transaction } from '../../database.ts';
import { statement } from '../../statement.ts';

const boat = sql.type(z.strictObject({ name: z.string() }));

let database: OpenTestDatabase;
let db: Database;

beforeAll(async () => {
  database = await openTestDatabase({
    service: 'tasks',
    migrations: new URL('../../test-migrations/', import.meta.url),
  });
  db = database.db;
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => db.query(statement`truncate boats`));

const launch = (queries: Queries, name: string) => queries.query(statement`insert into boats (name) values (${name})`);
const boats = (queries: Queries) => queries.anyFirst(boat`select name from boats order by name`);

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

  test('do not commit if the failure of a statement was ignored', async () => {
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

  test('call afterCommit once after the commit, and never after a rollback', async () => {
    const calls: string[] = [];
    const onCommit = () => void calls.push('committed');

    await db.transaction(async (tx) => {
      tx.afterCommit(onCommit);
      await tx.transaction(async (inner) => inner.afterCommit(onCommit));
      expect(calls).toEqual([]);
    });
    const failing = db.transaction(async (tx) => {
      tx.afterCommit(onCommit);
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    expect(calls).toEqual(['committed']);
  });

  test('run concurrent queries one after the other', async () => {
    await db.transaction(async (tx) => {
      await Promise.all(['a', 'b', 'c'].map((name) => launch(tx, name)));
    });

    expect(await boats(db)).toEqual(['a', 'b', 'c']);
  });

  test('refuse a query that bypasses them, and queries after their end', async () => {
    const late = await db.transaction(async (tx): Promise<Transaction> => tx);

    await expect(db.transaction(async () => boats(db))).rejects.toThrow('its own `tx`');
    await expect(boats(late)).rejects.toThrow('over');
  });

  test('run no leftover query after their end', async () => {
    let stray: Promise<unknown> = Promise.resolve();
    const failing = db.transaction(async (tx) => {
      stray = sleep(1)
        .then(() => launch(tx, 'stray'))
        .catch(String);
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    expect(await stray).toContain('over');
    expect(await boats(db)).toEqual([]);
  });

  test('allow later queries of the pool in work that was started inside them', async () => {
    const gate = Promise.withResolvers<void>();
    let later: Promise<unknown> = Promise.resolve();
    await db.transaction(async () => {
      later = gate.promise.then(() => boats(db));
    });
    gate.resolve();

    await expect(later).resolves.toEqual([]);
  });

  test('are retried after a deadlock', async () => {
    await launch(db, 'a');
    await launch(db, 'b');
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const repaint = (first: string, second: string) =>
      db.transaction(async (tx) => {
        await tx.query(statement`update boats set weight = coalesce(weight, 0) + 1 where name = ${first}`);
        waiting += 1;
        if (waiting === 2) both.resolve();
        await both.promise;
        await tx.query(statement`update boats set weight = coalesce(weight, 0) + 1 where name = ${second}`);
      });

    await Promise.all([repaint('a', 'b'), repaint('b', 'a')]);

    const weights = await db.anyFirst(sql.type(z.object({ weight: z.number() }))`select weight from boats`);
    expect(weights).toEqual([2, 2]);
  });

  test('leave no connection in an open transaction', async () => {
    for (let i = 0; i < 30; i += 1) {
      await db.transaction(async (tx) => tx.query(statement`select 1 / 0`)).catch(() => undefined);
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
