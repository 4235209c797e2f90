import type { Transaction } from '@berth/db/database';
import { createClusterChanges } from './clusters/cluster-repository.ts';

/** What a transaction reads and writes. */
export const storeOf = (tx: Transaction) => ({ clusters: createClusterChanges(tx) });
