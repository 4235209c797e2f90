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
  /** Saves in one transaction. Returns the ids of clusters whose leases this process has lost; their changes are not written. */
  saveTogether(group: readonly ClusterChanges[]): Promise<ReadonlySet<string>>;
  /** The number of concurrent transactions. */
  readonly atOnce?: number;
  /** Maximum rows in a transaction of several clusters. */
  readonly mostRows?: number;
}

/** Throws `ClusterLeaseLost` if another replica syncs the cluster now. */
export type SaveChanges = (changes: ClusterChanges) => Promise<void>;

interface Waiting extends ClusterChanges {
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Saves the changes of all clusters in few transactions: with one transaction each, a hundred clusters with two changes a second
 * would wait for two hundred commits. Changes that arrive while all transactions are busy go into the next one.
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
