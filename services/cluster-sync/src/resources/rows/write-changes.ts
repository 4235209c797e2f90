import { isOutage } from '@berth/shared/errors';
import type { Service } from '@berth/shared/service/service';
import { nextPause } from '../../reflector/next-pause.ts';
import { pause } from '../../reflector/pause.ts';
import type { ChangeQueue, RowChange } from './change-queue.ts';
import { NotOurCluster } from '../../clusters/cluster-lease-lost.ts';

export interface WriteChangesDeps {
  readonly queue: ChangeQueue;
  readonly log: Service['log'];
  /** One transaction. Throws `NotOurCluster` where somebody else looks after the cluster by now. */
  save(changes: readonly RowChange[]): Promise<void>;
  /** Called for an object that cannot be stored, so that its next event retries it. */
  onRefused(uid: string): void;
}

const batchSize = 100;
/** A new object changes several times within a moment, which is written once; an event may be visible a second later. */
const gatherMs = 300;

/** Brings the queue into the database until the signal aborts. */
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
      if (error instanceof NotOurCluster) throw error;
      queue.giveBack(changes);
      if (pauseMs === 0) log.warn({ err: error }, 'tracked resources cannot be written for now');
      pauseMs = nextPause(pauseMs, Math.random());
      await pause(pauseMs, signal);
    }
  }

  /** Waits for a change, and then a little for others that come with it. Ends early when the signal aborts. */
  async function gather(): Promise<void> {
    await queue.waitForChange(signal).catch(() => undefined);
    if (queue.size() < batchSize) await pause(gatherMs, signal);
  }

  async function saveAll(changes: readonly RowChange[]): Promise<void> {
    try {
      await save(changes);
    } catch (error) {
      if (error instanceof NotOurCluster || isOutage(error)) throw error;
      // One object that the database does not take must not hold up the others.
      if (changes.length > 1) for (const change of changes) await saveAll([change]);
      else for (const { uid } of changes) refuse(uid, error);
    }
  }

  function refuse(uid: string, error: unknown): void {
    log.warn({ err: error, uid }, 'an object of the cluster cannot be stored');
    onRefused(uid);
  }
}
