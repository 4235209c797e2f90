import { setTimeout as sleep } from 'node:timers/promises';
import type { Loop } from '@berth/shared/service/service';
import { createWakeUp } from '@berth/shared/waiting/wake-up';
import type { LeaseRepository, NextDue } from '../../store/lease-repository.ts';

const horizonMs = 1_000;
/** Changes that come together share one look, tasks that become due together one hint. */
const leastMs = 20;

export interface DueWatch {
  /** There are new tasks. The runners are told at once; those that are not due yet are waited for. */
  wakeRunners(): void;
  watch: Loop;
}

export interface DueWatchDeps {
  leases: Pick<LeaseRepository, 'nextDue'>;
  /** Tells the runners. */
  tell: () => void;
  signal: AbortSignal;
}

/** Wakes the runners in the moment in which a task becomes due; their own poll is the floor under it. */
export function createDueWatch({ leases, tell, signal }: DueWatchDeps): DueWatch {
  const { wake, wait } = createWakeUp(signal);
  let toldAt: number | undefined;

  const wakeRunners = () => {
    tell();
    toldAt = performance.now();
    wake();
  };

  const watch = async () => {
    // All that became due up to this moment has been told; by the clock of the database, so that nothing falls between.
    let told: string | null = null;
    while (!signal.aborted) {
      const toldAgoMs = toldAt === undefined ? null : performance.now() - toldAt;
      toldAt = undefined;
      const next: NextDue | null = await leases.nextDue(told, { toldAgoMs, withinMs: horizonMs }).catch(() => null);
      const isPast: boolean = next !== null && next.wait_ms !== null && next.wait_ms <= 0;
      if (isPast) tell();
      if (next) told = isPast || next.wait_ms === null ? next.now : next.told;

      await sleep(leastMs);
      if (!isPast) await wait(Math.max(0, (next?.wait_ms ?? horizonMs) - leastMs));
    }
  };
  return { wakeRunners, watch };
}
