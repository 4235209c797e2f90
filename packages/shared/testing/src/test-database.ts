import { createHash, randomUUID } from 'node:crypto';
import { migrate, readMigrations } from '@berth/db/postgres/migrate';
import { type PgConnection, pgConnection } from '@berth/db/postgres/pg-connection';
import { ServerUnavailable } from './network/server-unavailable.ts';

export interface TestDatabaseOptions {
  /** The service that owns it; the search path is this service's schema, as in production. */
  service: string;
  migrations: URL;
  /** A superuser's URL of the server; by default the server of all tests. */
  server?: string;
}

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
}

const applicationName = 'test-database';

/** A database for one test file: a copy of a template that is migrated once for all files and workers. */
export async function createTestDatabase({
  service,
  migrations,
  server = serverUrl(),
}: TestDatabaseOptions): Promise<TestDatabase> {
  const schema = service.replaceAll('-', '_');
  const template = `berth_template_${schema}_${await digestOf(migrations)}`;
  const name = `berth_test_${schema}_${randomUUID().slice(0, 13).replace('-', '')}`;

  await using admin = await pgConnection({
    url: server,
    applicationName,
    statementTimeoutMs: 60_000,
    lockTimeoutMs: 60_000,
  });
  await ensureTemplate(admin, { template, schema, migrations, server });
  await createDatabase(admin, name, schema, `template "${template}"`);

  return {
    name,
    url: databaseUrl(server, name),
    async [Symbol.asyncDispose]() {
      await using admin = await pgConnection({ url: server, applicationName, statementTimeoutMs: 60_000 });
      await admin.query(`drop database if exists "${name}" with (force)`);
    },
  };
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (url === undefined) {
    throw new ServerUnavailable('TEST_DATABASE_URL is not set: "npm test" starts a Postgres for the tests and sets it');
  }
  return url;
}

const databaseUrl = (server: string, name: string): string =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href;

async function digestOf(migrations: URL): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, checksum } of await readMigrations(migrations)) hash.update(`${name} ${checksum}\n`);
  return hash.digest('hex').slice(0, 12);
}

interface Template {
  template: string;
  schema: string;
  migrations: URL;
  server: string;
}

/** Other workers wait for the lock. A worker that dies half way leaves only a database with an unfinished name. */
async function ensureTemplate(admin: PgConnection, { template, schema, migrations, server }: Template): Promise<void> {
  await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [template]);
  try {
    const existing = await admin.query('select 1 from pg_database where datname = $1', [template]);
    if (existing.length > 0) return;

    const unfinished = `${template}_wip`;
    await admin.query(`drop database if exists "${unfinished}" with (force)`);
    await createDatabase(admin, unfinished, schema, '');
    await createSchema(databaseUrl(server, unfinished), schema);
    await migrate({
      url: databaseUrl(server, unfinished),
      migrations,
      applicationName,
      log: { info: () => {}, warn: () => {} },
    });
    await admin.query(`alter database "${unfinished}" rename to "${template}"`);
  } finally {
    await admin.query('select pg_advisory_unlock(hashtextextended($1, 0))', [template]);
  }
}

/** A template's settings are not copied, so set the search path on each database. */
async function createDatabase(admin: PgConnection, name: string, schema: string, from: string): Promise<void> {
  await admin.query(`create database "${name}" ${from}`);
  await admin.query(`alter database "${name}" set search_path = "${schema}"`);
}

async function createSchema(url: string, schema: string): Promise<void> {
  await using connection = await pgConnection({ url, applicationName });
  await connection.query(`create schema "${schema}"`);
}
