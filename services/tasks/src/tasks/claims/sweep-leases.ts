import { cutText } from '@berth/contracts/cut-text';
import type { Service } from '@berth/service/service';
import type { TaskMetrics } from '../../metrics/task-metrics.ts';
import type { EndedClaim } from '../../records/ended-claim.ts';
import type { InTransaction, ReadingStore, WritingStore } from '../../store/store.ts';
import type { RetryPolicy } from '../../engine/tasks/after-claim.ts';
import { endClaim } from '../transitions/finish-task.ts';
import { lockToEnd } from '../../queue/lock-to-end.ts';

export interface SweepDeps {
  store: Pick<ReadingStore, 'leases'>;
  inTransaction: InTransaction;
  policy: RetryPolicy;
  notifyRunners: () => void;
  log: Service['log'];
  metrics: Pick<TaskMetrics, 'ended'>;
}

const silent = 'Its runner stopped answering';

/** The task's reason, including the last thing its runner waited for. */
const silentAfter = (wait: string | null): string => (wait === null ? silent : cutText(`${silent}. ${wait}`, 500));

/** Takes back tasks whose lease has expired; those without attempts left end. */
export const sweepLeases = (deps: SweepDeps) => async (): Promise<void> => {
  // Caught here, because the loop would back off while the database is unavailable and delay all tasks afterwards.
  await sweep(deps).catch((error: unknown) => deps.log.warn({ err: error }, 'expired claims could not be taken back'));
};

async function sweep({ store, inTransaction, policy, notifyRunners, log, metrics }: SweepDeps): Promise<void> {
  const expired = await store.leases.expired();
  for (const { id } of expired) {
    // One task that cannot be taken back must not block the others.
    try {
      metrics.ended(await inTransaction((tx) => takeBack(tx, id, policy)));
    } catch (error) {
      log.error({ err: error, task_id: id }, 'an expired claim could not be taken back');
    }
  }
  if (expired.length > 0) notifyRunners();
}

async function takeBack(store: WritingStore, id: string, policy: RetryPolicy): Promise<EndedClaim | null> {
  const locked = await lockToEnd(store, id);
  // The claim was renewed or finished while we waited for the lock.
  if (!locked || !(await store.leases.isExpired(id))) return null;
  return endClaim(store, locked, { outcome: 'Silent', reason: silentAfter(locked.task.reason) }, policy);
}
