import { pause } from '@berth/service/waiting/pause';

const relays = new Set<() => void>();

/** Notes that this process committed rows to an outbox. An unnecessary wake-up costs a relay one indexed select. */
export function wakeRelays(): void {
  for (const wake of relays) wake();
}

export interface WakeUps extends Disposable {
  /**
   * Resolves `gatherMs` after a wake-up, so that commits within this time share it. Wake-ups since the last call count. Resolves at
   * the latest after `ms`, or when the signal aborts.
   */
  next(times: { ms: number; gatherMs: number }, signal: AbortSignal): Promise<void>;
}

export function relayWakeUps(): WakeUps {
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  relays.add(wake);

  return {
    async next({ ms, gatherMs }, signal) {
      const enough = new AbortController();
      const timer = pause(ms, AbortSignal.any([signal, enough.signal]));
      await Promise.race([woken.promise, timer]);
      enough.abort();
      await pause(gatherMs, signal);
      woken = Promise.withResolvers<void>();
    },
    [Symbol.dispose]() {
      relays.delete(wake);
    },
  };
}
