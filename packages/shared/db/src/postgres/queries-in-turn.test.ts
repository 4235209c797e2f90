import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { atMost } from '@berth/service/waiting/at-most';
import type { Queries } from '../database.ts';
import { queriesInTurn } from './queries-in-turn.ts';

const slept = sql.type(z.object({ done: z.literal(1) }));

let database: OpenTestDatabase;
beforeAll(async () => {
  const migrations = new URL('../test-migrations/', import.meta.url);
  database = await openTestDatabase({ service: 'tasks', migrations });
});
afterAll(() => database?.[Symbol.asyncDispose]());

/** As many as there are clusters after a start, each as slow as on a busy machine. */
const failuresOf = async (db: Queries): Promise<number> => {
  const sleep = () => db.one(slept`select 1 as done from pg_sleep(0.25)`);
  const inTransaction = () => db.transaction((tx) => tx.one(slept`select 1 as done from pg_sleep(0.25)`));
  const works = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? sleep() : inTransaction()));
  return (await Promise.allSettled(works)).filter(({ status }) => status === 'rejected').length;
};

test('queries that take turns all get a connection, but the same number at once do not', async () => {
  const { db } = database;
  // On a busy machine, opening connections takes longer than a query waits.
  const opened = () => Promise.all(Array.from({ length: 10 }, () => db.one(slept`select 1 as done`)));
  await vi.waitFor(opened);
  const inTurn = queriesInTurn(db, atMost(4));

  expect(await failuresOf(inTurn)).toBe(0);
  expect(await failuresOf(db)).toBeGreaterThan(0);
});
