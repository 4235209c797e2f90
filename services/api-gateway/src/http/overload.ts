import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 20;
const tooLateMs = 200;
const windowMs = 1_000;

export interface Overload extends Disposable {
  /** Starts measuring, so that delays during the start of the process do not count. */
  begin(): void;
  /** Whether the event loop was more than 200 ms late most of the time. */
  isOverloaded(): boolean;
}

export interface DelayMonitor {
  enable(): unknown;
  disable(): unknown;
  reset(): void;
  /** In nanoseconds. */
  percentile(percent: number): number;
}

export interface OverloadDeps {
  monitor?: DelayMonitor;
  now?: () => number;
}

/**
 * Evaluates the median delay at most once a second. The median ignores a single long pause, such as that of a paused machine.
 * Without it: requests queue in the event loop until all of them are late, also behind a proxy, which does not see this delay.
 */
export function watchOverload({
  monitor = monitorEventLoopDelay({ resolution: resolutionMs }),
  now = () => performance.now(),
}: OverloadDeps = {}): Overload {
  let windowStart = now();
  let overloaded = false;

  function beginWindow(): void {
    monitor.reset();
    windowStart = now();
  }

  return {
    begin() {
      monitor.enable();
      beginWindow();
    },
    isOverloaded() {
      if (now() - windowStart < windowMs) return overloaded;
      overloaded = monitor.percentile(50) / 1e6 - resolutionMs > tooLateMs;
      beginWindow();
      return overloaded;
    },
    [Symbol.dispose]: () => void monitor.disable(),
  };
}
