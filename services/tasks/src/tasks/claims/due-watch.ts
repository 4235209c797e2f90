import { setTimeout as sleep } from 'node:timers/promises';
import type { Loop } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import type { LeaseRepository, NextDue } from '../../store/starting/lease-repository.ts';

const horizonMs = 1_000;
/** Changes within this time share a query, and tasks that become due within it share a hint. */
const leastMs = 20;

export interface DueWatch {
  /** To be called after tasks were queued: notifies the runners now, and again when further tasks become due. */
  notifyRunners(): void;
  watch: Loop;
}

export interface DueWatchDeps {
  leases: Pick<LeaseRepository, 'nextDue'>;
  /** Sends the hint to the runners. */
  sendHint: () => void;
  signal: AbortSignal;
}

/** Notifies the runners when a task becomes due. Hints may be lost: the runners also poll. */
export function createDueWatch({ leases, sendHint, signal }: DueWatchDeps): DueWatch {
  const { wake, wait } = createWakeUp(signal);
  let notifiedAt: number | undefined;

  const notifyRunners = () => {
    sendHint();
    notifiedAt = performance.now();
    wake();
  };

  const watch = async () => {
    // Runners were notified of all tasks due until this time, on the clock of the database.
    let notifiedUntil: string | null = null;
    while (!signal.aborted) {
      const notifiedAgoMs = notifiedAt === undefined ? null : performance.now() - notifiedAt;
      notifiedAt = undefined;
      const next: NextDue | null = await leases
        .nextDue(notifiedUntil, { notifiedAgoMs, withinMs: horizonMs })
        .catch(() => null);
      const isPast: boolean = next !== null && next.wait_ms !== null && next.wait_ms <= 0;
      if (isPast) sendHint();
      if (next) notifiedUntil = isPast || next.wait_ms === null ? next.now : next.notified_until;

      await sleep(leastMs);
      if (!isPast) await wait(Math.max(0, (next?.wait_ms ?? horizonMs) - leastMs));
    }
  };
  return { notifyRunners, watch };
}
