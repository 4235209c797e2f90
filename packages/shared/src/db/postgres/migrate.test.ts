import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { migrate } from './migrate.ts';
import { pgConnection } from './pg-connection.ts';

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-migrations-'));
  database = await createTestDatabase({ service: 'auth', migrations: pathToFileURL(`${folder}/`) });
});
afterEach(async () => {
  await database?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);

const log = { info: vi.fn() };
const migrateAll = () =>
  migrate({ url: database.url, migrations: pathToFileURL(`${folder}/`), log, applicationName: 'test' });

async function ask(text: string): Promise<Record<string, unknown>[]> {
  await using connection = await pgConnection({ url: database.url, applicationName: 'test' });
  return await connection.query(text);
}

test('applies the files in the order of their numbers, each once', async () => {
  await write('0002-second.sql', 'alter table first add column b int');
  await write('0001-first.sql', 'create table first (a int); insert into first values (1);');
  await migrateAll();
  await write('0003-third.sql', 'update first set b = a + 1');
  await migrateAll();
  await migrateAll();

  expect(await ask('select a, b from first')).toEqual([{ a: 1, b: 2 }]);
  expect(log.info.mock.calls).toEqual([
    [{ migration: '0001-first.sql' }, 'migration applied'],
    [{ migration: '0002-second.sql' }, 'migration applied'],
    [{ migration: '0003-third.sql' }, 'migration applied'],
  ]);
});

test('makes the tables that every service has', async () => {
  await migrateAll();

  expect(await ask('select count(*) from outbox')).toEqual([{ count: 0 }]);
  expect(await ask('select count(*) from leases')).toEqual([{ count: 0 }]);
});

test('refuses a file that was changed after it had been applied, by its name', async () => {
  await write('0001-first.sql', 'create table first (a int)');
  await migrateAll();
  await write('0001-first.sql', 'create table first (a bigint)');
  await write('0002-second.sql', 'create table second (a int)');

  await expect(migrateAll()).rejects.toThrow('0001-first.sql was changed');
  expect(await ask(`select to_regclass('second') as second`)).toEqual([{ second: null }]);
});

test('goes on with a database that knows a newer file, as after the return to an older version', async () => {
  await write('0001-first.sql', 'create table first (a int)');
  await write('0002-second.sql', 'create table second (a int)');
  await migrateAll();
  await rm(join(folder, '0002-second.sql'));

  await expect(migrateAll()).resolves.toBeUndefined();
});

test('keeps nothing of a file that fails half way, and says which it was', async () => {
  await write('0001-first.sql', 'create table first (a int)');
  await write('0002-broken.sql', 'create table second (a int); select no_such_column;');

  await expect(migrateAll()).rejects.toThrow('Migration 0002-broken.sql failed');
  expect(await ask(`select to_regclass('first')::text as first, to_regclass('second') as second`)).toEqual([
    { first: 'first', second: null },
  ]);
});

test('runs once where replicas start together', async () => {
  await write('0001-slow.sql', `create table first (a int); select pg_sleep(0.2); insert into first values (1);`);

  await Promise.all([migrateAll(), migrateAll(), migrateAll()]);

  expect(await ask('select count(*) from first')).toEqual([{ count: 1 }]);
});

test('wants names that tell the order', async () => {
  await write('first.sql', 'create table first (a int)');

  await expect(migrateAll()).rejects.toThrow('first.sql is not named like 0001-what-it-makes.sql');
});

test('refuses two files with the same number', async () => {
  await write('0001-a.sql', 'select 1');
  await write('0001-b.sql', 'select 1');

  await expect(migrateAll()).rejects.toThrow('0001-a.sql and 0001-b.sql have the same number');
});

test('says so when the schema of the connection is missing', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c search_path=nowhere');

  await expect(
    migrate({ url: url.href, migrations: pathToFileURL(`${folder}/`), log, applicationName: 'test' }),
  ).rejects.toThrow('nowhere');
});
