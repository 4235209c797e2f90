import type { Lease } from '@berth/db/leases/lease';
import { isOutage } from '@berth/contracts/errors';
import { ClusterLeaseLost } from '../../clusters/cluster-lease-lost.ts';
import type { RowChange } from './change-queue.ts';

/** Changes of the rows of one cluster, which are written only while this process holds its lease. */
export interface ClusterChanges {
  readonly clusterId: string;
  readonly lease: Lease;
  readonly changes: readonly RowChange[];
}

export interface SaveInGroupsDeps {
  /** In one transaction. Returns the ids of the clusters whose leases this process has lost: nothing of them is written. */
  saveTogether(group: readonly ClusterChanges[]): Promise<ReadonlySet<string>>;
  /** Transactions at the same time. */
  readonly atOnce?: number;
  /** Rows in a transaction of several clusters. */
  readonly mostRows?: number;
}

/** Throws `ClusterLeaseLost` where another replica syncs the cluster now. */
export type SaveChanges = (changes: ClusterChanges) => Promise<void>;

interface Waiting extends ClusterChanges {
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Saves what all clusters have to write in few transactions: with one for each cluster, a hundred clusters with two changes a
 * second wait for two hundred commits. What comes while all transactions are under way goes into the next one.
 */
export function saveInGroups({ saveTogether, atOnce = 3, mostRows = 200 }: SaveInGroupsDeps): SaveChanges {
  const waiting: Waiting[] = [];
  let running = 0;

  function begin(): void {
    while (running < atOnce && waiting.length > 0) {
      running += 1;
      void save(nextGroup()).finally(() => {
        running -= 1;
        begin();
      });
    }
  }

  function nextGroup(): Waiting[] {
    let rows = 0;
    const more = waiting.findIndex(({ changes }, index) => (rows += changes.length) > mostRows && index > 0);
    return waiting.splice(0, more < 0 ? waiting.length : more);
  }

  /** Never throws. */
  async function save(group: readonly Waiting[]): Promise<void> {
    try {
      const lost = await saveTogether(group);
      for (const { clusterId, done } of group) {
        if (lost.has(clusterId)) done.reject(new ClusterLeaseLost(clusterId));
        else done.resolve();
      }
    } catch (error) {
      if (group.length === 1 || isOutage(error)) for (const { done } of group) done.reject(error);
      // A row that the database refuses must not block the other clusters.
      else for (const one of group) await save([one]);
    }
  }

  return (changes) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ ...changes, done });
    begin();
    return done.promise;
  };
}
