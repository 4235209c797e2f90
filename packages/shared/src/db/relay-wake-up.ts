import { setTimeout as sleep } from 'node:timers/promises';

const relays = new Set<() => void>();

/** Something was committed to an outbox of this process. A wake-up too many costs a relay one indexed select. */
export function wakeRelays(): void {
  for (const wake of relays) wake();
}

export interface WakeUps extends Disposable {
  /** Resolves at the next wake-up, at once if there was one since the last call, after `ms`, or at the abort. */
  next(ms: number, signal: AbortSignal): Promise<void>;
}

export function relayWakeUps(): WakeUps {
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  relays.add(wake);

  return {
    async next(ms, signal) {
      const enough = new AbortController();
      const timer = sleep(ms, undefined, { signal: AbortSignal.any([signal, enough.signal]) }).catch(() => undefined);
      await Promise.race([woken.promise, timer]);
      enough.abort();
      woken = Promise.withResolvers<void>();
    },
    [Symbol.dispose]() {
      relays.delete(wake);
    },
  };
}
