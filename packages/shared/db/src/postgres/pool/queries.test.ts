import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import type { Database, Queries } from '../../database.ts';
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

test('rows have plain values: times are ISO strings of the years 1 to 9999 in UTC, bigints and counts are numbers', async () => {
  const row = sql.type(z.record(z.string(), z.unknown()));

  expect(
    await db.one(row`
      select timestamptz '2024-05-06 09:08:07.1+02' as time, timestamptz '2024-05-06 09:08:07+02' as whole,
        array[timestamptz '2024-05-06Z', null] as times, 7::bigint as big, array[1, 2]::bigint[] as bigs,
        array[]::bigint[] as none, '{"a": [1.5]}'::jsonb as json, date '2024-05-06' as day, count(*) as count,
        9007199254740993::bigint as too_big, timestamptz 'infinity' as never, timestamptz '0044-03-15Z BC' as ancient,
        timestamptz '10000-01-01Z' as distant, null::timestamptz as nothing
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
    never: '9999-12-31T23:59:59.999Z',
    ancient: '0001-01-01T00:00:00.000Z',
    distant: '9999-12-31T23:59:59.999Z',
    nothing: null,
  });
});

test('rows that do not fit the schema of their query are an error that names the column, not the value', async () => {
  const failure = await db.any(boat`select 4711 as name`).catch(String);

  expect(failure).toMatch(/column name: .*expected string/);
  expect(failure).not.toContain('4711');
  await expect(db.any(boat`select 'a' as name, 1 as extra`)).rejects.toThrow(/extra/);
});

test('a query verb checks the number of rows', async () => {
  await launch(db, 'a');
  await launch(db, 'b');

  expect(await db.maybeOne(boat`select name from boats where name = 'a'`)).toEqual({ name: 'a' });
  expect(await db.maybeOne(boat`select name from boats where name = 'x'`)).toBeNull();
  expect(await db.exists(boat`select name from boats`)).toBe(true);
  expect(await db.oneFirst(boat`select name from boats where name = 'a'`)).toBe('a');
  expect(await db.maybeOneFirst(boat`select name from boats where name = 'x'`)).toBeNull();
  expect(await db.query(statement`delete from boats`)).toMatchObject({ rowCount: 2 });
  await expect(db.one(boat`select name from boats`)).rejects.toThrow('expected one row, got 0');
  await expect(db.many(boat`select name from boats`)).rejects.toThrow('expected one row or more, got 0');
  await expect(db.maybeOne(boat`select name from (values ('a'), ('b')) as two(name)`)).rejects.toThrow(
    'expected one row at most, got 2',
  );
});

test('rows are the same when a statement is prepared', async () => {
  for (let i = 0; i < 10; i += 1) await launch(db, `boat ${i}`);

  expect(await db.any(boat`select name from boats`)).toHaveLength(10);
});
