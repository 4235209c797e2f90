import { type ClientConfig, Pool, type PoolClient, type QueryResult } from 'pg';
import type { Query } from '../../database.ts';
import { fromPg, LostConnection, NoAnswer } from '../errors/postgres-error.ts';
import type { RawResult } from './queries.ts';
import { limits } from '@berth/bus/protocol/limits';
import { connectionQueue } from './connection-queue.ts';
import { type Statement, statements } from './statements.ts';
import type { Session } from './transaction.ts';
import { withinMs } from '@berth/service/waiting/within-ms';

export interface ConnectionPool {
  /** Opens all connections in advance, or as many as the server allows. */
  open(): Promise<void>;
  run(query: Query): Promise<RawResult>;
  withSession<T>(work: (session: Session) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

/** Short enough for an answer within a second. */
const patienceMs = 700;
/** How long a request needs once it has a connection, on a busy machine. */
const reserveMs = 1_000;
const lifetimeSeconds = 1_800;
const endMs = 2_000;

/** Connections, opened in advance or on demand, and dropped when they fail. Waiting for one has a time limit. */
export function connectionPool(settings: ClientConfig, max: number): ConnectionPool {
  const pool = new Pool({ ...settings, max, idleTimeoutMillis: 0, maxLifetimeSeconds: lifetimeSeconds });
  const statementOf = statements();
  const queue = connectionQueue({
    max,
    mostWaiting: limits.requestsInFlight,
    patienceMs,
    reserveMs,
    refusal: noneFree,
  });
  // Called when a connection is lost, idle or busy; its current or next query gets the error.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));

  const checkOut = async (): Promise<PoolClient> => {
    const isFree = pool.idleCount > pool.waitingCount;
    if (isFree) return await pool.connect().catch(notConnected);

    const connecting = pool.connect();
    const client = await queue.wait(connecting).catch(notConnected);
    if (client !== undefined) {
      queue.answered();
      return client;
    }
    // This connection came too late for its query but serves later ones.
    connecting.then(
      (late) => late.release(),
      () => undefined,
    );
    throw noneFree();
  };

  const withSession = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    await queue.enter();
    try {
      const client = await checkOut();
      let broken = false;
      const run = async (statement: Statement): Promise<QueryResult<Record<string, unknown>>> => {
        try {
          const result = await client.query(statement);
          queue.answered();
          return result;
        } catch (error) {
          const failure = fromPg(error);
          broken ||= failure instanceof LostConnection || failure instanceof NoAnswer;
          if (!broken) queue.answered();
          throw failure;
        }
      };
      try {
        return await work({
          run: (query) => run(statementOf(query)),
          command: async (text) => (await run({ text })).command,
        });
      } finally {
        // A connection in the middle of a statement must not be reused.
        client.release(broken || client.getTransactionStatus() !== 'I');
      }
    } finally {
      queue.leave();
    }
  };

  return {
    open: async () => {
      const opening = Array.from({ length: max }, () => pool.connect());
      for (const opened of await Promise.allSettled(opening)) {
        if (opened.status === 'fulfilled') opened.value.release();
      }
    },
    run: (query) => withSession((session) => session.run(query)),
    withSession,
    end: async () => {
      // Waits for statements in flight; an unreachable server never confirms the end.
      if (!pool.ending) await withinMs(endMs, pool.end());
    },
  };
}

/** To callers, a refused password also means that the database is unavailable. */
function notConnected(error: unknown): never {
  const failure = fromPg(error);
  throw failure instanceof LostConnection ? failure : new LostConnection(failure);
}

class NoneFree extends Error {
  override readonly name = 'NoneFree';

  constructor() {
    super('no connection became free in time');
  }
}

/** To callers, a pool that is used up also means that the database is unavailable. */
const noneFree = () => new LostConnection(new NoneFree());
