import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@berth/testing/test-database';
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

const log = { info: vi.fn(), warn: vi.fn() };
const migrateAll = () =>
  migrate({ url: database.url, migrations: pathToFileURL(`${folder}/`), log, applicationName: 'test' });

async function queryRows(text: string): Promise<Record<string, unknown>[]> {
  await using connection = await pgConnection({ url: database.url, applicationName: 'test' });
  return await connection.query(text);
}

test('migrations are applied in the order of their numbers, each once', async () => {
  await write('0002-second.sql', 'alter table first add column b int');
  await write('0001-first.sql', 'create table first (a int); insert into first values (1);');
  await migrateAll();
  await write('0003-third.sql', 'update first set b = a + 1');
  await migrateAll();
  await migrateAll();

  expect(await queryRows('select a, b from first')).toEqual([{ a: 1, b: 2 }]);
  expect(log.info.mock.calls).toEqual([
    [{ migration: '0001-first.sql' }, 'migration applied'],
    [{ migration: '0002-second.sql' }, 'migration applied'],
    [{ migration: '0003-third.sql' }, 'migration applied'],
  ]);
});

test('migrations create the tables that every service has', async () => {
  await migrateAll();

  expect(await queryRows('select count(*) from outbox')).toEqual([{ count: 0 }]);
  expect(await queryRows('select count(*) from leases')).toEqual([{ count: 0 }]);
});

test('a migration that was changed after it was applied is refused by name', async () => {
  await write('0001-first.sql', 'create table first (a int)');
  await migrateAll();
  await write('0001-first.sql', 'create table first (a bigint)');
  await write('0002-second.sql', 'create table second (a int)');

  await expect(migrateAll()).rejects.toThrow('0001-first.sql was changed');
  expect(await queryRows(`select to_regclass('second') as second`)).toEqual([{ second: null }]);
});

test('a database with a newer migration is accepted, as after a rollback of the release', async () => {
  await write('0001-first.sql', 'create table first (a int)');
  await write('0002-second.sql', 'create table second (a int)');
  await migrateAll();
  await rm(join(folder, '0002-second.sql'));

  await expect(migrateAll()).resolves.toBeUndefined();
});

test('a migration that fails half way is rolled back, and the error names it', async () => {
  await write('0001-first.sql', 'create table first (a int)');
  await write('0002-broken.sql', 'create table second (a int); select no_such_column;');

  await expect(migrateAll()).rejects.toThrow('Migration 0002-broken.sql failed');
  expect(await queryRows(`select to_regclass('first')::text as first, to_regclass('second') as second`)).toEqual([
    { first: 'first', second: null },
  ]);
});

test('migrations run once if replicas start together', async () => {
  await write('0001-slow.sql', `create table first (a int); select pg_sleep(0.2); insert into first values (1);`);

  await Promise.all([migrateAll(), migrateAll(), migrateAll()]);

  expect(await queryRows('select count(*) from first')).toEqual([{ count: 1 }]);
});

test('a migration without a number in its name is refused', async () => {
  await write('first.sql', 'create table first (a int)');

  await expect(migrateAll()).rejects.toThrow('first.sql is not named like 0001-what-it-makes.sql');
});

test('two migrations with the same number are refused', async () => {
  await write('0001-a.sql', 'select 1');
  await write('0001-b.sql', 'select 1');

  await expect(migrateAll()).rejects.toThrow('0001-a.sql and 0001-b.sql have the same number');
});

test('a missing schema of the connection is named in the error', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c search_path=nowhere');

  await expect(
    migrate({ url: url.href, migrations: pathToFileURL(`${folder}/`), log, applicationName: 'test' }),
  ).rejects.toThrow('nowhere');
});

describe('a migration that needs an extension', () => {
  const writeOptional = async (extension: string) => {
    await write('0001-first.sql', 'create table first (name text)');
    await mkdir(join(folder, `with-${extension}`));
    await write(`with-${extension}/0002-parts.sql`, 'create index parts on first using gin (lower(name) gin_trgm_ops)');
  };
  const indexes = () => queryRows(`select indexname from pg_indexes where indexname = 'parts'`);

  test('creates the extension if the role may', async () => {
    await writeOptional('pg_trgm');
    await migrateAll();

    expect(await indexes()).toEqual([{ indexname: 'parts' }]);
  });

  test('finds the extension in another schema', async () => {
    await queryRows('create schema extensions; create extension pg_trgm schema extensions');
    await writeOptional('pg_trgm');
    await migrateAll();

    expect(await indexes()).toEqual([{ indexname: 'parts' }]);
  });

  test('is put off with a warning if the extension is unavailable, and applied by the first start that finds it', async () => {
    await queryRows(`
      do $$ begin create role without_rights login password 'x'; exception when duplicate_object then null; end $$;
      grant all on schema auth to without_rights;
      grant all on all tables in schema auth to without_rights;
      create schema extensions
    `);
    await writeOptional('pg_trgm');
    const url = Object.assign(new URL(database.url), { username: 'without_rights', password: 'x' }).href;
    const asRole = () => migrate({ url, migrations: pathToFileURL(`${folder}/`), log, applicationName: 'test' });

    log.warn.mockClear();
    await asRole();
    expect(await indexes()).toEqual([]);
    await queryRows('create extension pg_trgm schema extensions');
    await asRole();
    expect(await indexes()).toEqual([]);
    const put = { migration: 'with-pg_trgm/0002-parts.sql', extension: 'pg_trgm' };
    expect(log.warn.mock.calls).toEqual([
      [put, expect.stringContaining('put off')],
      [put, expect.stringContaining('put off')],
    ]);

    await queryRows('grant usage on schema extensions to without_rights');
    await asRole();
    expect(await indexes()).toEqual([{ indexname: 'parts' }]);
    await queryRows('drop owned by without_rights');
  });
});
