import { setTimeout as sleep } from 'node:timers/promises';
import type { Loop } from '@berth/shared/service/service';
import type { LeaseRepository } from './lease-repository.ts';

const horizonMs = 1_000;
/** Tasks that become due shortly after one another share one hint. */
const leastMs = 10;

/** Wakes the runners in the moment in which a scheduled task becomes due; their own poll is the floor under it. */
export const wakeWhenDue =
  ({ leases, wakeRunners }: { leases: Pick<LeaseRepository, 'nextDueWithin'>; wakeRunners: () => void }): Loop =>
  async (signal) => {
    while (!signal.aborted) {
      const waitMs = await leases.nextDueWithin(horizonMs).catch(() => null);
      await sleep(Math.max(leastMs, waitMs ?? horizonMs), undefined, { signal }).catch(() => undefined);
      if (waitMs !== null && !signal.aborted) wakeRunners();
    }
  };
