import type { Transaction } from '@berth/db/database';
import { createClusterChanges } from './clusters/cluster-repository.ts';
import { createGrantChanges } from './grants/grant-repository.ts';

/** What a transaction reads and writes. */
export const storeOf = (tx: Transaction) => ({
  clusters: createClusterChanges(tx),
  grants: createGrantChanges(tx),
});
