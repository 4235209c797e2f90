import { sql } from 'slonik';
import { z } from 'zod';
import { connectionPool } from './pool/connection-pool.ts';
import { connectionSettings } from './pool/connection-settings.ts';
import type { Database, Queries } from '../database.ts';
import { databaseFailure, isLostRace } from './errors/database-failure.ts';
import { migrate } from './migrate.ts';
import { LostConnection } from './errors/postgres-error.ts';
import { queriesOver } from './pool/queries.ts';
import { refuseInsideTransaction, runTransaction } from './pool/transaction.ts';
import { writeOutbox } from '../outbox/outbox.ts';
import { type TroubleLogger, troubleLog } from '../outbox/trouble-log.ts';
import { untilUp } from './until-up.ts';

export interface DatabaseOptions {
  url: string;
  /** The service's folder of numbered .sql files. */
  migrations: URL;
  log: TroubleLogger;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  maxConnections?: number;
  statementTimeoutMs?: number;
  /** Ends the wait for Postgres at the start. */
  signal?: AbortSignal;
}

const attempts = 3;

/**
 * Waits until Postgres is up, brings the schema up to date and opens the pool with all its connections. A replica starts its
 * loops and receives its share of requests at once, and on a busy machine opening connections at that time would take long.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, migrations, log, applicationName, maxConnections = 10, statementTimeoutMs = 5_000, signal } = options;
  await untilUp(() => migrate({ url, migrations, log, applicationName }), { log, signal });

  const pool = connectionPool(connectionSettings({ url, applicationName, statementTimeoutMs }), maxConnections);
  await pool.open();
  const trouble = troubleLog(log, 'Postgres is not available');

  /** Retries after a deadlock or serialization failure; turns other failures into errors for the caller. */
  const withRetries = async <T>(work: () => Promise<T>): Promise<T> => {
    refuseInsideTransaction();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await work();
        trouble.fine();
        return answer;
      } catch (error) {
        if (error instanceof LostConnection) trouble.failed(error);
        if (!isLostRace(error) || attempt === attempts) throw databaseFailure(error);
      }
    }
  };

  return {
    ...queriesOver((query) => withRetries(() => pool.run(query))),
    transaction: (work) => withRetries(() => pool.withSession((session) => runTransaction(session, work, writeOutbox))),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

const up = sql.type(z.object({ up: z.literal(1) }));

/** For readiness: whether a query is answered now. */
export const databaseIsUp = (db: Queries): Promise<boolean> =>
  db.one(up`select 1 as up`).then(
    () => true,
    () => false,
  );
