import { z } from 'zod';
import { resources } from '@berth/contracts/resources/index';
import { outboxStore } from '../outbox/outbox-store.ts';
import { migrate, pendingMigrations, readMigrations } from '../postgres/migrate.ts';
import { openDatabase } from '../postgres/open-database.ts';
import { pgConnection } from '../postgres/pg-connection.ts';
import { createServiceDatabase } from '../setup/create-service-database.ts';
import { readConfig } from '@berth/service/read-config';
import type { AdminCommand, AdminContext } from './admin-command.ts';
import { waitForSchema, waitForServer } from './wait-for-database.ts';

export interface DatabaseCommandsOptions {
  readonly service: string;
  /** The service's folder of numbered .sql files. */
  readonly migrations: URL;
}

const Settings = z.object({
  DATABASE_URL: z.url(),
  /** How long `migrate` and `wait-for-database` wait for a missing role or schema. */
  WAIT_SECONDS: z.coerce.number().min(0).max(3_600).default(300),
});

const SetUpSettings = z.object({
  /** A role that may create roles and databases. */
  ADMIN_DATABASE_URL: z.url(),
  /** The URLs with which services connect: the roles, passwords and database in them are created. */
  AUTH_DATABASE_URL: z.url(),
  TASKS_DATABASE_URL: z.url(),
  CLUSTER_SYNC_DATABASE_URL: z.url(),
  REGISTRY_SCAN_DATABASE_URL: z.url(),
  WAIT_SECONDS: Settings.shape.WAIT_SECONDS,
});

/** Commands for the database of any service. */
export function databaseCommands({ service, migrations }: DatabaseCommandsOptions): Record<string, AdminCommand> {
  return {
    'set-up-database': { purpose: 'make the database, and role and schema of each service', run: setUpDatabase },
    'wait-for-database': {
      purpose: 'wait until the role of this service can use its schema',
      run: ({ environment, ...context }) => {
        const { DATABASE_URL: url, WAIT_SECONDS: seconds } = readConfig(Settings, environment);
        return waitForSchema({ ...context, url, seconds });
      },
    },
    migrate: { purpose: 'bring the schema up to date', run: (context) => runMigrations(context, migrations) },
    replay: {
      purpose: 'publish all rows of this service again',
      run: (context) => replay(context, service, migrations),
    },
    check: { purpose: 'compare migrations and what is published', run: (context) => check(context, migrations) },
  };
}

async function setUpDatabase({ environment, log, signal }: AdminContext): Promise<boolean> {
  const settings = readConfig(SetUpSettings, environment);
  const services = [
    { name: 'auth', url: settings.AUTH_DATABASE_URL },
    { name: 'tasks', url: settings.TASKS_DATABASE_URL },
    { name: 'cluster_sync', url: settings.CLUSTER_SYNC_DATABASE_URL },
    { name: 'registry_scan', url: settings.REGISTRY_SCAN_DATABASE_URL },
  ].map(({ name, url }) => ({ name, ...roleOf(url) }));
  const databases = [...new Set(services.map(({ database }) => database))];
  const [database] = databases;
  if (database === undefined || databases.length > 1) {
    log.error({ databases }, 'the services must use one database');
    return false;
  }
  const admin = { url: settings.ADMIN_DATABASE_URL, log, signal, seconds: settings.WAIT_SECONDS };
  if (!(await waitForServer(admin))) return false;
  await createServiceDatabase(settings.ADMIN_DATABASE_URL, { database, services });
  log.info({ database, roles: services.map(({ role }) => role) }, 'the database is set up');
  return true;
}

function roleOf(text: string) {
  const url = new URL(text);
  return {
    database: decodeURIComponent(url.pathname.slice(1)),
    role: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}

async function runMigrations({ environment, log, signal }: AdminContext, migrations: URL): Promise<boolean> {
  const { DATABASE_URL: url, WAIT_SECONDS: seconds } = readConfig(Settings, environment);
  if (!(await waitForSchema({ url, log, signal, seconds }))) return false;
  await migrate({ url, migrations, log, applicationName: 'berth-admin' });
  log.info('the schema is up to date');
  return true;
}

/** A replica publishes unpublished rows within a second. */
async function replay({ environment, log, signal }: AdminContext, service: string, migrations: URL): Promise<boolean> {
  const { DATABASE_URL: url } = readConfig(Settings, environment);
  const options = { url, migrations, log, signal, applicationName: 'berth-admin', maxConnections: 1 };
  await using db = await openDatabase(options);
  const published = resources.filter(({ owner, state }) => owner === service && state).map(({ name }) => name);
  await outboxStore(db).clearMarks(published, signal);
  log.info({ resources: published }, 'all rows will be published again');
  return !signal.aborted;
}

const overdueSeconds = 60;

async function check({ environment, log }: AdminContext, migrations: URL): Promise<boolean> {
  const { DATABASE_URL: url } = readConfig(Settings, environment);
  const wanted = await readMigrations(migrations);
  await using connection = await pgConnection({ url, applicationName: 'berth-admin' });

  const applied = new Map(
    (await connection.query('select name, checksum from applied_migrations')).map(({ name, checksum }) => [
      String(name),
      String(checksum),
    ]),
  );
  const missing = pendingMigrations(wanted, applied);
  const pending = missing.filter(({ extension }) => extension === undefined).map(({ name }) => name);
  /** These migrations wait for an extension of PostgreSQL; the service works without them. */
  const putOff = missing.filter(({ extension }) => extension !== undefined).map(({ name }) => name);
  const known = new Set(wanted.map(({ name }) => name));
  const newer = [...applied.keys()].filter((name) => !known.has(name));
  const [row] = await connection.query(
    `select count(*)::int as overdue from outbox
     where published_version is distinct from version
       and version < (extract(epoch from now() - make_interval(secs => $1)) * 1000000)::bigint`,
    [overdueSeconds],
  );
  const overdue = Number(row?.['overdue']);
  const report = {
    pending_migrations: pending,
    put_off_migrations: putOff,
    newer_migrations: newer,
    overdue_rows: overdue,
  };
  const isWell = pending.length === 0 && newer.length === 0 && overdue === 0;
  if (isWell) log.info(report, 'the database is consistent');
  else log.error(report, 'the database differs from what this version expects, or rows are not published');
  return isWell;
}
