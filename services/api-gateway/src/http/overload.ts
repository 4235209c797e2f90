import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 20;
const tooLateMs = 200;
const windowMs = 1_000;

export interface Overload extends Disposable {
  /** Whether the event loop came 200 ms late most of the time: then taking more work helps nobody. */
  isOverloaded(): boolean;
}

/** Looks once a second at most. The median, because one long pause, such as of a paused machine, is over already. */
export function watchOverload(): Overload {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let lookedAt = performance.now();
  let overloaded = false;

  return {
    isOverloaded() {
      const now = performance.now();
      if (now - lookedAt < windowMs) return overloaded;
      overloaded = delay.percentile(50) / 1e6 - resolutionMs > tooLateMs;
      delay.reset();
      lookedAt = now;
      return overloaded;
    },
    [Symbol.dispose]: () => void delay.disable(),
  };
}
