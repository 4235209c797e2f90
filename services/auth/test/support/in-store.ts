import type { Database } from '@berth/db/database';
import { inTransactionOf } from '@berth/db/in-transaction';
import { storeOf } from '../../src/store.ts';

type Store = ReturnType<typeof storeOf>;

/** Writes rows like the service, but without a request. */
export const inStore = <T>(db: Database, work: (store: Store) => Promise<T>): Promise<T> =>
  inTransactionOf(db, storeOf)((store) => work(store));
