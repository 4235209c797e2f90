import { isOutage } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import { nextPause } from '../../reflector/next-pause.ts';
import { pause } from '@berth/service/waiting/pause';
import type { ChangeQueue, RowChange } from './change-queue.ts';
import { ClusterLeaseLost } from '../../clusters/cluster-lease-lost.ts';

export interface WriteChangesDeps {
  readonly queue: ChangeQueue;
  readonly log: Service['log'];
  /** Saves in one transaction. Throws `ClusterLeaseLost` if another replica syncs the cluster now. */
  save(changes: readonly RowChange[]): Promise<void>;
  /** Called for an object that cannot be stored, so that its next event retries it. */
  onRefused(uid: string): void;
}

const batchSize = 100;
/** A new object changes several times within a moment; gathering writes it once. Events may be shown up to a second late. */
const gatherMs = 300;

/** Writes the queued changes to the database until the signal aborts. */
export async function writeChanges(
  { queue, log, save, onRefused }: WriteChangesDeps,
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = 0;
  while (!signal.aborted) {
    await gather();
    if (signal.aborted) return;
    const changes = queue.take(batchSize);
    try {
      await saveAll(changes);
      pauseMs = 0;
    } catch (error) {
      if (error instanceof ClusterLeaseLost) throw error;
      queue.giveBack(changes);
      if (pauseMs === 0) log.warn({ err: error }, 'writing tracked resources fails');
      pauseMs = nextPause(pauseMs, Math.random());
      await pause(pauseMs, signal);
    }
  }

  /** Waits for a change, and then briefly for others that come with it. Ends early when the signal aborts. */
  async function gather(): Promise<void> {
    await queue.waitForChange(signal).catch(() => undefined);
    if (queue.size() < batchSize && !queue.isFull()) await pause(gatherMs, signal);
  }

  async function saveAll(changes: readonly RowChange[]): Promise<void> {
    try {
      await save(changes);
    } catch (error) {
      if (error instanceof ClusterLeaseLost || isOutage(error)) throw error;
      // An object that the database refuses must not block the others.
      if (changes.length > 1) for (const change of changes) await saveAll([change]);
      else for (const { uid } of changes) refuse(uid, error);
    }
  }

  function refuse(uid: string, error: unknown): void {
    log.warn({ err: error, uid }, 'storing an object of the cluster failed');
    onRefused(uid);
  }
}
