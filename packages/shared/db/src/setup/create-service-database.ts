import { ConfigError } from '@berth/service/read-config';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';

interface ServiceSchema {
  /** Name of the schema, and of the role that owns it unless `role` names another. */
  readonly name: string;
  readonly role?: string;
  readonly password: string;
}

export interface ServiceDatabase {
  readonly database: string;
  readonly services: readonly ServiceSchema[];
  /** Other databases of the server, which are closed to roles without a grant; only for a server with no other users. */
  readonly alsoClose?: readonly string[];
}

/**
 * One database with one schema and one role per service: a role can use only its own schema. Repeating this changes nothing but
 * the passwords. The administrator need not be a superuser: `createrole` and `createdb` are enough. Returns one URL per service.
 */
export async function createServiceDatabase(
  adminUrl: string,
  { database, services, alsoClose = [] }: ServiceDatabase,
): Promise<Record<string, string>> {
  await withClient(adminUrl, async (client) => {
    for (const { name, role = name, password } of services) {
      await refuseSuperuser(client, role);
      await client.query(roleStatement(role, password));
      await joinRole(client, role);
    }
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${escapeIdentifier(database)}`);
    for (const name of [...alsoClose, database]) {
      await client.query(`revoke all on database ${escapeIdentifier(name)} from public`);
    }
  });
  await withClient(urlOf(adminUrl, { database }), async (client) => {
    await revokePublicSchema(client);
    await installSearch(client);
    for (const service of services) {
      const schema = escapeIdentifier(service.name);
      const role = escapeIdentifier(service.role ?? service.name);
      await client.query(`create schema if not exists ${schema} authorization ${role}`);
      await client.query(`revoke all on schema ${schema} from public`);
      await client.query(`grant usage on schema extensions to ${role}`);
      await client.query(`grant connect on database ${escapeIdentifier(database)} to ${role}`);
      await client.query(`alter role ${role} in database ${escapeIdentifier(database)} set search_path = ${schema}`);
    }
  });
  return Object.fromEntries(
    services.map(({ name, role = name, password }) => [name, urlOf(adminUrl, { database, user: role, password })]),
  );
}

/** A single statement: a separate check would let two concurrent starts race. */
const roleStatement = (name: string, password: string) => `do $berth$ begin
    create role ${escapeIdentifier(name)} login noinherit password ${escapeLiteral(password)};
  exception when duplicate_object then
    alter role ${escapeIdentifier(name)} with login noinherit password ${escapeLiteral(password)};
  end $berth$`;

/** A typing error in a name must not make an administrator the role of a service. */
async function refuseSuperuser(client: Client, role: string): Promise<void> {
  const { rowCount } = await client.query(
    'select from pg_roles where rolname = $1 and (rolsuper or rolcreaterole or rolcreatedb)',
    [role],
  );
  if (rowCount !== 0) {
    throw new ConfigError([`the role ${role} exists and is an administrator: name another for the service`]);
  }
}

/** Unless it is a superuser, only a member of a role can create a schema for it. */
async function joinRole(client: Client, role: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = current_user and rolsuper');
  if (rowCount === 0) await client.query(`grant ${escapeIdentifier(role)} to current_user`);
}

/**
 * On managed servers, the schema `public` belongs to another role; since PostgreSQL 15 nobody can create objects in it anyway.
 */
async function revokePublicSchema(client: Client): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_namespace where nspname = 'public' and pg_has_role(nspowner, 'usage')`,
  );
  if (rowCount !== 0) await client.query('revoke all on schema public from public');
}

/** Searches by part of a name use it; most service roles may not install extensions. */
async function installSearch(client: Client): Promise<void> {
  await client.query('create schema if not exists extensions');
  const { rowCount } = await client.query(`select from pg_available_extensions where name = 'pg_trgm'`);
  if (rowCount !== 0) await client.query('create extension if not exists pg_trgm schema extensions');
}

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
