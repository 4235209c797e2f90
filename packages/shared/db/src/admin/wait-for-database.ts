import { pgConnection } from '../postgres/pg-connection.ts';
import { refuseWithoutSchema } from '../postgres/migrate.ts';
import { LostConnection, NoAnswer, NoSchema, PostgresError } from '../postgres/errors/postgres-error.ts';
import { type TroubleLogger, troubleLog } from '../outbox/trouble-log.ts';
import { pause } from '@berth/service/waiting/pause';

export interface DatabaseWait {
  readonly url: string;
  readonly log: TroubleLogger;
  readonly signal: AbortSignal;
  readonly seconds: number;
  readonly everyMs?: number;
}

/** The role or its password is wrong, the database is missing or closed to the role, or the schema does not exist yet. */
const notYet = ['28P01', '28000', '3D000', '42501'];

/**
 * Waits until the role can connect and its schema exists, since another process may be creating them. False after the time limit;
 * the log names the last reason.
 */
export const waitForSchema = (wait: DatabaseWait): Promise<boolean> => waitFor(wait, connectToSchema);

/** Like `waitForSchema`, for a role that needs no schema. */
export const waitForServer = (wait: DatabaseWait): Promise<boolean> => waitFor(wait, connect);

async function waitFor(
  { url, log, signal, seconds, everyMs = 1_000 }: DatabaseWait,
  probe: (url: string) => Promise<void>,
): Promise<boolean> {
  const until = performance.now() + seconds * 1_000;
  const trouble = troubleLog(log, 'waiting for Postgres');
  while (!signal.aborted) {
    try {
      await probe(url);
      trouble.fine();
      return true;
    } catch (error) {
      if (!mayPass(error)) throw error;
      trouble.failed(error);
      if (performance.now() > until) return false;
    }
    await pause(everyMs, signal);
  }
  return false;
}

const applicationName = 'berth-admin';

async function connect(url: string): Promise<void> {
  await using connection = await pgConnection({ url, applicationName });
  await connection.query('select 1');
}

async function connectToSchema(url: string): Promise<void> {
  await using connection = await pgConnection({ url, applicationName });
  await refuseWithoutSchema(connection);
}

const mayPass = (error: unknown): boolean =>
  error instanceof LostConnection ||
  error instanceof NoAnswer ||
  error instanceof NoSchema ||
  (error instanceof PostgresError && notYet.includes(error.code));
