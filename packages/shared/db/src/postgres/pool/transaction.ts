import { AsyncLocalStorage } from 'node:async_hooks';
import { Bug } from '@berth/contracts/errors';
import type { Query, Transaction } from '../../database.ts';
import { RecordedChanges } from '../../recorded-changes.ts';
import { queriesOver, type RawResult } from './queries.ts';

/** One connection, reserved for a transaction. */
export interface Session {
  run(query: Query): Promise<RawResult>;
  /** `begin`, `commit`, savepoints: returns the command that Postgres executed. */
  command(text: string): Promise<string>;
}

interface Running {
  over: boolean;
}

const running = new AsyncLocalStorage<Running>();

/** Inside a transaction, a query of the pool would not see its changes, and would wait forever if the pool is used up. */
export function refuseInsideTransaction(): void {
  if (running.getStore()?.over === false) {
    throw new Bug('A transaction is under way here: its queries go through its own `tx`');
  }
}

/** Begins, does the work, writes the published rows and commits; rolls back if any of this throws. */
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
      // Set before the end is sent, because later queries would run outside the transaction.
      state.over = true;
    }
  };

  await turns.command('begin');
  let result: T;
  try {
    result = await worked();
    await commit(turns);
  } catch (error) {
    // A lost connection rolls back by itself; the first error is the cause.
    await turns.command('rollback').catch(() => undefined);
    throw error;
  }
  for (const run of afterCommit) run();
  return result;
}

/** A connection runs one query at a time, but work may start several at once. */
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

/** After a failed statement, Postgres answers a commit with a rollback and no error. */
async function commit(session: Session): Promise<void> {
  const done = await session.command('commit');
  if (done !== 'COMMIT') throw new Bug('The transaction was rolled back: one of its statements had failed');
}

interface Inside {
  state: Running;
  afterCommit: Set<() => void>;
  recorded: RecordedChanges;
}

function transactionOver(session: Session, inside: Inside, depth: number): Transaction {
  const { state, afterCommit, recorded } = inside;
  const queries = queriesOver(async (query) => {
    if (state.over) throw new Bug('The transaction is over');
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
