import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { createServiceDatabase } from '@berth/db/setup/create-service-database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverStart, startForTest } from '../testing/with-servers.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

describe('a started Postgres', () => {
  let start: Awaited<ReturnType<typeof serverStart>>;
  let postgres: PostgresServer;
  beforeAll(async () => {
    start = await serverStart();
    postgres = await startPostgres({ ...start, durable: false });
  });
  // Also ends a server that never became ready.
  afterAll(() => start[Symbol.asyncDispose]());

  test('refuses clients without a password', async () => {
    const url = new URL(postgres.adminUrl);
    url.password = 'wrong';

    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed');
  });

  test('keeps its password readable only by the owner', async () => {
    const { mode } = await stat(join(start.stateFolder, 'postgres', 'superuser.json'));

    expect(mode & 0o777).toBe(0o600);
  });

  test('gives each service a schema that no other service can use', async () => {
    const services = [
      { name: 'auth', password: "it's-a-secret-1" },
      { name: 'tasks', password: 'another/secret?2' },
    ];
    const alsoClose = ['postgres', 'template1'];
    const urls = await createServiceDatabase(postgres.adminUrl, { database: 'berth', services, alsoClose });
    const auth = urls['auth'] ?? '';
    const tasks = urls['tasks'] ?? '';

    await query(auth, 'create table users (id int); insert into users values (1)');
    expect(await query(auth, 'select id, current_schema from users')).toEqual([{ id: 1, current_schema: 'auth' }]);

    await expect(query(tasks, 'select * from auth.users')).rejects.toThrow('permission denied for schema auth');
    await expect(query(tasks, 'create table auth.mine (id int)')).rejects.toThrow('permission denied for schema auth');
    await expect(query(tasks, 'create table public.mine (id int)')).rejects.toThrow('permission denied');
    await expect(query(tasks, 'create table extensions.mine (id int)')).rejects.toThrow('permission denied');
    await expect(query(tasks, 'create schema mine')).rejects.toThrow('permission denied');
    await expect(query(tasks, 'set role auth')).rejects.toThrow('permission denied');
    await expect(query(tasks, 'create temporary table mine (id int)')).rejects.toThrow('permission denied');
    await expect(query(tasks.replace('/berth', '/postgres'), 'select 1')).rejects.toThrow(
      'permission denied for database',
    );

    const again = await createServiceDatabase(postgres.adminUrl, { database: 'berth', services, alsoClose });
    expect(again).toEqual(urls);
    expect(await query(auth, 'select id from users')).toEqual([{ id: 1 }]);
  });

  test('creates schemas as an administrator who is not a superuser, and leaves other databases open', async () => {
    await query(
      postgres.adminUrl,
      "create role dba login createdb createrole password 'dba'; create role other login password 'other'",
    );
    await query(postgres.adminUrl, 'create database theirs');
    await query(postgres.adminUrl, 'grant connect on database postgres to dba');
    const admin = new URL(postgres.adminUrl);
    admin.username = 'dba';
    admin.password = 'dba';
    const services = [{ name: 'auth', role: 'ship_auth', password: 'one' }];

    await createServiceDatabase(admin.href, { database: 'ship', services });
    const urls = await createServiceDatabase(admin.href, {
      database: 'ship',
      services: services.map((service) => ({ ...service, password: 'two' })),
    });

    expect(await query(urls['auth'] ?? '', 'select current_user as role, current_schema as schema')).toEqual([
      { role: 'ship_auth', schema: 'auth' },
    ]);
    await expect(query(urls['auth'] ?? '', 'create table mine (id int)')).resolves.toEqual([]);
    const theirs = new URL(postgres.adminUrl);
    theirs.username = 'other';
    theirs.password = 'other';
    theirs.pathname = '/theirs';
    expect(await query(theirs.href, 'select 1 as fine')).toEqual([{ fine: 1 }]);
  });

  test('never turns an administrator into the role of a service', async () => {
    const services = [{ name: 'tasks', role: new URL(postgres.adminUrl).username, password: 'mine' }];

    await expect(createServiceDatabase(postgres.adminUrl, { database: 'berth', services })).rejects.toThrow(
      'exists and is an administrator',
    );
  });
});

test('a killed Postgres restarts with its data on its port', async () => {
  const start = await startForTest();
  const first = await startPostgres({ ...start, durable: true });
  await query(first.adminUrl, 'create table kept (id int); insert into kept values (42)');

  process.kill(first.pid, 'SIGKILL');
  expect((await first.died).message).toContain('postgres ended by itself with SIGKILL');
  const second = await startPostgres({ ...start, durable: true });

  expect(second.adminUrl).toBe(first.adminUrl);
  expect(await query(second.adminUrl, 'select id from kept')).toEqual([{ id: 42 }]);
  await second.stop();
});

test('a dead server whose process id was reused does not prevent a start', async () => {
  const start = await startForTest();
  const first = await startPostgres({ ...start, durable: false });
  await first.stop();
  await writeFile(join(start.stateFolder, 'postgres', 'data', 'postmaster.pid'), `${process.pid}\n`);

  const second = await startPostgres({ ...start, durable: false });

  expect(await query(second.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  await second.stop();
});

test('Postgres runs in a folder that only its owner can enter', async () => {
  const start = await startForTest();
  const folder = join(start.stateFolder, 'closed');
  await mkdir(folder);
  await chmod(folder, 0o700);
  const inside = { ...start, stateFolder: join(folder, 'state') };

  const first = await startPostgres({ ...inside, durable: false });
  await query(first.adminUrl, 'create table kept (id int)');
  await first.stop();
  const second = await startPostgres({ ...inside, durable: false });

  expect(await query(second.adminUrl, 'select id from kept')).toEqual([]);
  await second.stop();
});

test('data of another major version is refused, and the error names both', async () => {
  const start = await startForTest();
  const data = join(start.stateFolder, 'postgres', 'data');
  await mkdir(data, { recursive: true });
  await writeFile(join(data, 'PG_VERSION'), '15\n');

  await expect(startPostgres({ ...start, durable: false })).rejects.toThrow('was made by PostgreSQL 15; this is 18');
});

async function query(url: string, statements: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(statements)).rows;
  } finally {
    await client.end();
  }
}
