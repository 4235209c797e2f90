import { Client, escapeIdentifier, escapeLiteral } from 'pg';

export interface ServiceSchema {
  /** Name of the schema and of the role that owns it. */
  readonly name: string;
  readonly password: string;
}

/**
 * One database with one schema and one role per service: a role can use its own schema and no other. Doing it again
 * changes nothing but the passwords. Answers with one URL per service.
 */
export async function createServiceDatabase(
  adminUrl: string,
  { database, services }: { database: string; services: readonly ServiceSchema[] },
): Promise<Record<string, string>> {
  await withClient(adminUrl, async (client) => {
    for (const { name, password } of services) await client.query(roleStatement(name, password));
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${escapeIdentifier(database)}`);
    for (const name of ['postgres', 'template1', database]) {
      await client.query(`revoke all on database ${escapeIdentifier(name)} from public`);
    }
  });
  await withClient(urlOf(adminUrl, { database }), async (client) => {
    await client.query('revoke all on schema public from public');
    // Searches by part of a name use it; a role that may create nothing in the database cannot install it.
    await client.query('create schema if not exists extensions');
    await client.query('create extension if not exists pg_trgm schema extensions');
    for (const { name } of services) {
      const role = escapeIdentifier(name);
      await client.query(`create schema if not exists ${role} authorization ${role}`);
      await client.query(`revoke all on schema ${role} from public`);
      await client.query(`grant usage on schema extensions to ${role}`);
      await client.query(`grant connect on database ${escapeIdentifier(database)} to ${role}`);
      await client.query(`alter role ${role} in database ${escapeIdentifier(database)} set search_path = ${role}`);
    }
  });
  return Object.fromEntries(
    services.map(({ name, password }) => [name, urlOf(adminUrl, { database, user: name, password })]),
  );
}

/** One statement: with a check before the creation, two concurrent starts would race. */
const roleStatement = (name: string, password: string) => `do $berth$ begin
    create role ${escapeIdentifier(name)} login noinherit nosuperuser nocreatedb nocreaterole password ${escapeLiteral(password)};
  exception when duplicate_object then
    alter role ${escapeIdentifier(name)} with login noinherit nosuperuser nocreatedb nocreaterole password ${escapeLiteral(password)};
  end $berth$`;

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 60_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(adminUrl: string, { database, user, password }: { database: string; user?: string; password?: string }) {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  if (user !== undefined) url.username = user;
  if (password !== undefined) url.password = password;
  return url.href;
}
