/** Lets a loop sleep until it is woken or its time is over. A wake-up while nobody sleeps ends the next sleep. */
export interface WakeUp {
  wake(): void;
  /** Resolves at the next wake-up (also one since the last wait), after `ms`, or when the signal aborts. */
  wait(ms: number): Promise<void>;
}

export function createWakeUp(signal: AbortSignal): WakeUp {
  let woken = false;
  let end: (() => void) | undefined;
  const wake = () => {
    woken = true;
    end?.();
  };
  signal.addEventListener('abort', wake, { once: true });

  return {
    wake,
    async wait(ms) {
      if (!woken && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        end = undefined;
      }
      woken = false;
    },
  };
}
