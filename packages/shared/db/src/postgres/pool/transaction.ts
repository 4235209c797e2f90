import { AsyncLocalStorage } from 'node:async_hooks';
import type { Query, Transaction } from '../../database.ts';
import { RecordedChanges } from '../../recorded-changes.ts';
import { queriesOver, type RawResult } from './queries.ts';

/** One connection, checked out for a transaction. */
export interface Session {
  run(query: Query): Promise<RawResult>;
  /** `begin`, `commit`, savepoints: answers the command that Postgres carried out. */
  command(text: string): Promise<string>;
}

interface Running {
  over: boolean;
}

const running = new AsyncLocalStorage<Running>();

/** A query of the pool inside of a transaction would not see its changes, and a full pool would wait for itself. */
export function refuseInsideTransaction(): void {
  if (running.getStore()?.over === false) {
    throw new Error('A transaction is under way here: its queries go through its own `tx`');
  }
}

/** Begins, works, writes what the transaction publishes, commits; rolls back when any of it throws. */
export async function runTransaction<T>(
  session: Session,
  work: (tx: Transaction) => Promise<T>,
  publish: (tx: Transaction) => Promise<void>,
): Promise<T> {
  const turns = inTurn(session);
  const state = { over: false };
  const afterCommit = new Set<() => void>();
  const worked = async (): Promise<T> => {
    try {
      return await running.run(state, async () => {
        const tx = transactionOver(turns, { state, afterCommit, recorded: new RecordedChanges() }, 0);
        const result = await work(tx);
        await publish(tx);
        return result;
      });
    } finally {
      // Before the end is sent: what comes later would run outside of the transaction.
      state.over = true;
    }
  };

  await turns.command('begin');
  let result: T;
  try {
    result = await worked();
    await commit(turns);
  } catch (error) {
    // A lost connection has rolled back by itself; the first error is the cause.
    await turns.command('rollback').catch(() => undefined);
    throw error;
  }
  for (const run of afterCommit) run();
  return result;
}

/** A connection runs one query at a time; the work may start several at once. */
function inTurn(session: Session): Session {
  let last: Promise<unknown> = Promise.resolve();
  const next = <T>(work: () => Promise<T>): Promise<T> => {
    const answer = last.then(work, work);
    last = answer;
    return answer;
  };
  return {
    run: (query) => next(() => session.run(query)),
    command: (text) => next(() => session.command(text)),
  };
}

/** Postgres answers a commit after a failed statement with a rollback, and no error. */
async function commit(session: Session): Promise<void> {
  const done = await session.command('commit');
  if (done !== 'COMMIT') throw new Error('The transaction was rolled back: one of its statements had failed');
}

interface Inside {
  state: Running;
  afterCommit: Set<() => void>;
  recorded: RecordedChanges;
}

function transactionOver(session: Session, inside: Inside, depth: number): Transaction {
  const { state, afterCommit, recorded } = inside;
  const queries = queriesOver(async (query) => {
    if (state.over) throw new Error('The transaction is over');
    return await session.run(query);
  });
  return {
    ...queries,
    afterCommit: (work) => void afterCommit.add(work),
    recorded,
    transaction: async (work) => {
      const savepoint = `nested_${depth + 1}`;
      const inner = new RecordedChanges();
      await session.command(`savepoint ${savepoint}`);
      try {
        const result = await work(transactionOver(session, { ...inside, recorded: inner }, depth + 1));
        await session.command(`release savepoint ${savepoint}`);
        recorded.add(inner);
        return result;
      } catch (error) {
        await session.command(`rollback to savepoint ${savepoint}`);
        throw error;
      }
    },
  };
}
