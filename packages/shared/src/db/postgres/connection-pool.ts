import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientConfig, Pool, type PoolClient, type QueryResult } from 'pg';
import type { Query } from '../database.ts';
import { fromPg, LostConnection, NoAnswer } from './postgres-error.ts';
import type { RawResult } from './queries.ts';
import { type Statement, statements } from './statements.ts';
import type { Session } from './transaction.ts';
import { withinMs } from './within-ms.ts';

export interface ConnectionPool {
  run(query: Query): Promise<RawResult>;
  withSession<T>(work: (session: Session) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

/** Short enough for an answer within a second. */
const patienceMs = 700;
const waitingPerConnection = 20;
const lifetimeSeconds = 1_800;
const endMs = 2_000;

/** Connections that are made when they are needed and given up when they fail; waits for one have an end. */
export function connectionPool(settings: ClientConfig, max: number): ConnectionPool {
  const pool = new Pool({ ...settings, max, idleTimeoutMillis: 0, maxLifetimeSeconds: lifetimeSeconds });
  const statementOf = statements();
  // The loss of an idle connection is told here and of a busy one there; whoever uses it next, or uses it now, gets the error.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));

  const checkOut = async (): Promise<PoolClient> => {
    const isFree = pool.idleCount > pool.waitingCount;
    if (isFree) return await pool.connect().catch(notConnected);

    if (pool.waitingCount >= max * waitingPerConnection) throw noneFree();
    const connecting = pool.connect();
    const client = await withinMs(patienceMs, connecting).catch(notConnected);
    if (client !== undefined) return client;
    // Made for nobody in particular, it is of use to those who ask next.
    connecting.then(
      (late) => late.release(),
      () => undefined,
    );
    throw noneFree();
  };

  const withSession = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const client = await checkOut();
    let broken = false;
    const ask = async (statement: Statement): Promise<QueryResult<Record<string, unknown>>> => {
      try {
        return await client.query(statement);
      } catch (error) {
        const told = fromPg(error);
        broken ||= told instanceof LostConnection || told instanceof NoAnswer;
        throw told;
      }
    };
    try {
      return await work({
        run: (query) => ask(statementOf(query)),
        command: async (text) => (await ask({ text })).command,
      });
    } finally {
      // Whatever went wrong: nobody gets a connection that is in the middle of something.
      client.release(broken || client.getTransactionStatus() !== 'I');
    }
  };

  return {
    run: (query) => withSession((session) => session.run(query)),
    withSession,
    end: async () => {
      // Waits for what is under way; a server that is gone says no goodbye.
      if (!pool.ending) await Promise.race([pool.end(), sleep(endMs, undefined, { ref: false })]);
    },
  };
}

/** Also a password that is refused is, for the caller, a database that is not available. */
function notConnected(error: unknown): never {
  const told = fromPg(error);
  throw told instanceof LostConnection ? told : new LostConnection(told);
}

const noneFree = () => new LostConnection(new Error('no connection became free in time'));
