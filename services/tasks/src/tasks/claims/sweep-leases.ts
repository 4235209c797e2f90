import type { Service } from '@berth/shared/service/service';
import type { InTransaction, ReadingStore, WritingStore } from '../../store/store.ts';
import type { RetryPolicy } from '../../engine/tasks/after-claim.ts';
import { endClaim } from '../transitions/finish-task.ts';
import { lockTask } from '../../queue/lock-task.ts';

export interface SweepDeps {
  store: Pick<ReadingStore, 'leases'>;
  inTransaction: InTransaction;
  policy: RetryPolicy;
  wakeRunners: () => void;
  log: Service['log'];
}

const silent = 'Its runner stopped answering';

/** Tasks whose runner is silent for longer than its lease go back to the queue, or end where they had their attempts. */
export const sweepLeases = (deps: SweepDeps) => async (): Promise<void> => {
  // Not left to the loop, which would wait longer and longer while the database is away; tasks would wait as long.
  await sweep(deps).catch((error: unknown) => deps.log.warn({ err: error }, 'expired claims could not be taken back'));
};

async function sweep({ store, inTransaction, policy, wakeRunners, log }: SweepDeps): Promise<void> {
  const expired = await store.leases.expired();
  for (const { id } of expired) {
    // One that cannot be taken back must not keep the others with runners that are gone.
    await inTransaction((tx) => takeBack(tx, id, policy)).catch((error: unknown) =>
      log.error({ err: error, task_id: id }, 'an expired claim could not be taken back'),
    );
  }
  if (expired.length > 0) wakeRunners();
}

async function takeBack(store: WritingStore, id: string, policy: RetryPolicy): Promise<void> {
  const locked = await lockTask(store, id);
  // Renewed, or finished after all, while we waited for the lock.
  if (!locked || !(await store.leases.isExpired(id))) return;
  await endClaim(store, locked, { outcome: 'Silent', reason: silent }, policy);
}
