import type { Database, Transaction } from './database.ts';

/** Runs work in a transaction and passes it the repositories of that transaction. */
export type InTransaction<Store> = <T>(work: (store: Store, tx: Transaction) => Promise<T>) => Promise<T>;

export const inTransactionOf =
  <Store>(db: Pick<Database, 'transaction'>, storeOf: (tx: Transaction) => Store): InTransaction<Store> =>
  (work) =>
    db.transaction((tx) => work(storeOf(tx), tx));
