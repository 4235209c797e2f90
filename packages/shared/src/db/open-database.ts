import type { Logger } from 'pino';
import { createPool, sql } from 'slonik';
import { z } from 'zod';
import { checkedRows } from './checked-rows.ts';
import { connectionSettings } from './connection-settings.ts';
import type { Database, Queries } from './database.ts';
import { databaseFailure } from './database-failure.ts';
import { migrate } from './migrate.ts';
import { pgDriver } from './pg-driver.ts';
import { slots } from './slots.ts';
import { untilUp } from './until-up.ts';

export interface DatabaseOptions {
  url: string;
  /** The service's own folder of numbered .sql files. */
  migrations: URL;
  log: Logger;
  applicationName: string;
  maxConnections?: number;
  /** Ends the wait for a Postgres that is not up yet. */
  signal?: AbortSignal;
}

const maxWaitForConnectionMs = 900;
const maxWaitingPerConnection = 20;

/** Waits until Postgres is up, brings the schema up to date and opens the pool. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, migrations, log, applicationName, maxConnections = 10, signal } = options;
  await untilUp(() => migrate({ url, migrations, log, applicationName }), { log, signal });

  const pool = await createPool(url, {
    driverFactory: pgDriver(connectionSettings({ url, applicationName })),
    interceptors: [checkedRows],
    maxPoolSize: maxConnections,
    captureStackTrace: false,
    connectionRetryLimit: 0,
    queryRetryLimit: 2,
    transactionRetryLimit: 3,
    gracefulTerminationTimeout: 1_000,
    idleTimeout: 'DISABLE_TIMEOUT',
    // Nothing of ours changes the session, so instead of DISCARD ALL after every query, prepared statements stay.
    // It has to be there: without it slonik takes a released connection for one that is still being released.
    resetConnection: async () => {},
  });
  // slonik tells every failed query here as well, and an event named `error` that nobody hears ends the process.
  pool.on('error', () => {});

  const { hold } = slots({
    size: maxConnections,
    maxWaitMs: maxWaitForConnectionMs,
    maxWaiting: maxConnections * maxWaitingPerConnection,
  });
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await hold(work);
    } catch (error) {
      throw databaseFailure(error);
    }
  };

  return {
    any: (query) => run(() => pool.any(query)),
    anyFirst: (query) => run(() => pool.anyFirst(query)),
    exists: (query) => run(() => pool.exists(query)),
    many: (query) => run(() => pool.many(query)),
    manyFirst: (query) => run(() => pool.manyFirst(query)),
    maybeOne: (query) => run(() => pool.maybeOne(query)),
    maybeOneFirst: (query) => run(() => pool.maybeOneFirst(query)),
    one: (query) => run(() => pool.one(query)),
    oneFirst: (query) => run(() => pool.oneFirst(query)),
    query: (query) => run(() => pool.query(query)),
    transaction: (work, retries) => run(() => pool.transaction(work, retries)),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

const one = sql.type(z.object({ up: z.literal(1) }));

/** For readiness: whether a query is answered now. */
export const databaseIsUp = (db: Queries): Promise<boolean> =>
  db.one(one`select 1 as up`).then(
    () => true,
    () => false,
  );
