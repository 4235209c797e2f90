import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type PgConnection, pgConnection } from './pg-connection.ts';
import { LostConnection, NoSchema } from './errors/postgres-error.ts';

export interface MigrateOptions {
  url: string;
  /** The service's folder; the shared tables (outbox, leases, …) are created before. */
  migrations: URL;
  log: Pick<Logger, 'info' | 'warn'>;
  applicationName: string;
}

export interface Migration {
  name: string;
  text: string;
  checksum: string;
  /** The extension that the migration needs. */
  extension?: string;
}

/** The schema is out of date, so the service does not start. The message names the file to correct. */
class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed';
}

const sharedMigrations = new URL('../migrations/', import.meta.url);

/** A migration may rewrite a table, or wait for one that another replica runs. */
const statementTimeoutMs = 300_000;
const lockTimeoutMs = 60_000;

/**
 * Brings the schema of the connection up to date; migrations are never reverted. If replicas start together, one of them does it.
 */
export async function migrate({ url, migrations, log, applicationName }: MigrateOptions): Promise<void> {
  const wanted = await readMigrations(migrations);
  await using connection = await pgConnection({ url, applicationName, statementTimeoutMs, lockTimeoutMs });

  await refuseWithoutSchema(connection);
  await connection.query(`select pg_advisory_lock(hashtextextended('migrations of ' || current_schema(), 0))`);
  const applied = await appliedMigrations(connection);
  const missing = new Set<string>();
  for (const migration of pendingMigrations(wanted, applied)) {
    const { name, extension } = migration;
    if (extension !== undefined) {
      const found = missing.has(extension) ? null : await haveExtension(connection, extension);
      if (found === null) {
        missing.add(extension);
        log.warn(
          { migration: name, extension },
          'migration put off: its extension cannot be used, see docs/operators.md',
        );
        continue;
      }
      await apply(connection, migration, found.schema);
    } else await apply(connection, migration);
    log.info({ migration: name }, 'migration applied');
  }
}

/**
 * Shared migrations first, then those of the service, each in the order of their numbers; last those that need an extension, from
 * folders named like `with-pg_trgm`. These are put off until the extension exists, so the service must work without them.
 */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const extensions = entries.flatMap((entry) =>
    entry.isDirectory() ? (/^with-(\w+)$/.exec(entry.name)?.[1] ?? []) : [],
  );
  const optional = extensions.sort().map(async (extension) => {
    const migrations = await readFolder(new URL(`with-${extension}/`, folder), `with-${extension}/`);
    return migrations.map((migration) => ({ ...migration, extension }));
  });
  return [
    ...(await readFolder(sharedMigrations, 'shared/')),
    ...(await readFolder(folder, '')),
    ...(await Promise.all(optional)).flat(),
  ];
}

async function readFolder(folder: URL, prefix: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const unnumbered = files.find((file) => !/^\d{4}-[a-z0-9-]+\.sql$/.test(file));
  if (unnumbered !== undefined)
    throw new MigrationFailed(`Migration ${unnumbered} is not named like 0001-what-it-makes.sql`);
  const twin = files.find((file, index) => numberOf(file) === numberOf(files[index + 1] ?? ''));
  if (twin !== undefined)
    throw new MigrationFailed(`Migrations ${twin} and ${files[files.indexOf(twin) + 1]} have the same number`);

  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8');
      return { name: prefix + file, text, checksum: hash('sha256', text, 'hex') };
    }),
  );
}

const numberOf = (file: string): string => file.slice(0, 4);

/**
 * The migrations that have not run yet. One that ran and was changed afterwards is refused, because the change would never take
 * effect.
 */
export function pendingMigrations(wanted: Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  const changed = wanted.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (changed !== undefined) {
    throw new MigrationFailed(
      `Migration ${changed.name} was changed after it had been applied; write a new one instead`,
    );
  }
  return wanted.filter(({ name }) => !applied.has(name));
}

export async function refuseWithoutSchema(connection: PgConnection): Promise<void> {
  const [row] = await connection.query(`select current_schema() as schema, current_setting('search_path') as path`);
  if (row?.schema === null) throw new NoSchema(String(row.path));
}

async function appliedMigrations(connection: PgConnection): Promise<Map<string, string>> {
  await connection.query(`
    create table if not exists applied_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz(3) not null default now()
    )
  `);
  const rows = await connection.query('select name, checksum from applied_migrations');
  return new Map(rows.map(({ name, checksum }) => [String(name), String(checksum)]));
}

/**
 * The schema of an extension that this role may use. If the extension is missing, it is created if the role may do so. Two
 * services of one database may try at the same time; the second then finds it.
 */
async function haveExtension(connection: PgConnection, extension: string): Promise<{ schema: string } | null> {
  const find = () =>
    connection.query(
      `select n.nspname as schema, has_schema_privilege(n.oid, 'usage') as usable
      from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = $1`,
      [extension],
    );
  if ((await find()).length === 0) {
    await connection.query(`create extension if not exists ${quoted(extension)}`).catch((error: unknown) => {
      if (error instanceof LostConnection) throw error;
    });
  }
  const [found] = await find();
  return found?.usable === true ? { schema: String(found.schema) } : null;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

async function apply(connection: PgConnection, { name, text, checksum }: Migration, also?: string): Promise<void> {
  await connection.query('begin');
  try {
    if (also !== undefined) {
      const path = `quote_ident(current_schema()) || ', ' || quote_ident($1)`;
      await connection.query(`select set_config('search_path', ${path}, true)`, [also]);
    }
    await connection.query(text);
    await connection.query('insert into applied_migrations (name, checksum) values ($1, $2)', [name, checksum]);
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback').catch(() => undefined);
    if (error instanceof LostConnection) throw error;
    throw new MigrationFailed(`Migration ${name} failed`, { cause: error });
  }
}
