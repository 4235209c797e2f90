import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientConfig, Pool, type PoolClient } from 'pg';
import type { Query } from './database.ts';
import { fromPg, LostConnection, NoAnswer } from './postgres-error.ts';
import type { RawResult } from './queries.ts';
import { statements } from './statements.ts';
import type { Session } from './transaction.ts';

export interface ConnectionPool {
  run(query: Query): Promise<RawResult>;
  withSession<T>(work: (session: Session) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

const waitingPerConnection = 20;
const lifetimeSeconds = 1_800;
const endMs = 5_000;

/** Connections that are made when they are needed and given up when they fail; waits for one have an end. */
export function connectionPool(settings: ClientConfig, max: number): ConnectionPool {
  const pool = new Pool({ ...settings, max, idleTimeoutMillis: 0, maxLifetimeSeconds: lifetimeSeconds });
  const statementOf = statements();
  // The loss of an idle connection is told here and of a busy one there; whoever uses it next, or uses it now, gets the error.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));

  const checkOut = async (): Promise<PoolClient> => {
    if (pool.waitingCount >= max * waitingPerConnection) {
      throw new LostConnection(new Error('too many are waiting for a connection'));
    }
    return await pool.connect().catch(rethrow);
  };

  const withConnection = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await checkOut();
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = error instanceof LostConnection || error instanceof NoAnswer;
      throw error;
    } finally {
      client.release(broken);
    }
  };

  return {
    run: (query) => withConnection((client) => client.query(statementOf(query)).catch(rethrow)),

    withSession: (work) =>
      withConnection((client) => {
        // pg wants one question at a time; transactions may ask several.
        let last: Promise<unknown> = Promise.resolve();
        const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
          const answer = last.then(ask, ask);
          last = answer;
          return answer;
        };
        return work({
          run: (query) => inTurn(() => client.query(statementOf(query)).catch(rethrow)),
          command: (text) => inTurn(async () => (await client.query(text).catch(rethrow)).command),
        });
      }),

    end: async () => {
      // Waits for what is under way; a server that is gone says no goodbye.
      if (!pool.ending) await Promise.race([pool.end(), sleep(endMs, undefined, { ref: false })]);
    },
  };
}

function rethrow(error: unknown): never {
  throw fromPg(error);
}
