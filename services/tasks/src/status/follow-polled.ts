import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import type { Database } from '@berth/db/database';
import { acquireLease } from '@berth/db/leases/lease';
import type { InTransaction, ReadingStore } from '../store/store.ts';

export interface FollowPolledDeps {
  inTransaction: InTransaction;
}

const batch = 200;

/**
 * Keeps the list of polled deployments as the deployments change, and clears the reported status of those that are no
 * longer polled.
 */
export const followPolled =
  ({ inTransaction }: FollowPolledDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    for (let followed = batch; followed === batch && !signal.aborted; ) {
      followed = await inTransaction(async ({ statusPolls, deployments, deploymentChanges }) => {
        const changed = await statusPolls.follow(batch);
        for (const { id } of changed.filter(({ reports_unpolled }) => reports_unpolled)) {
          const deployment = await deployments.lock(id);
          if (deployment) await deploymentChanges.saveState({ ...deployment, reported_status: null });
        }
        return changed.length;
      });
    }
  };

export interface RefollowPolledDeps {
  db: Database;
  store: Pick<ReadingStore, 'statusPolls'>;
}

const refollowEveryMs = 5 * 60_000;

/** Finds changes of polls that do not come from deployments. The lease is left to expire, so one replica does this per period. */
export function refollowPolled({ db, store }: RefollowPolledDeps): () => Promise<void> {
  const lease = {
    name: 'follow all polled deployments',
    holder: `${hostname()} ${process.pid} ${randomUUID()}`,
    ttlMs: refollowEveryMs,
  };
  return async () => {
    if (await acquireLease(db, lease)) await store.statusPolls.refollow();
  };
}
