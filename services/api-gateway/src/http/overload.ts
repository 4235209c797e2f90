import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 20;
const tooLateMs = 200;
const windowMs = 1_000;

export interface Overload extends Disposable {
  /** Begins to measure: how long the loop was held up before, as by loading what the process needs, is no load. */
  begin(): void;
  /** Whether the event loop came 200 ms late most of the time: then taking more work helps nobody. */
  isOverloaded(): boolean;
}

/** What is read of the monitor of node. */
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

/** Looks once a second at most. The median, because one long pause, such as of a paused machine, is over already. */
export function watchOverload({
  monitor = monitorEventLoopDelay({ resolution: resolutionMs }),
  now = () => performance.now(),
}: OverloadDeps = {}): Overload {
  let lookedAt = now();
  let overloaded = false;

  function beginWindow(): void {
    monitor.reset();
    lookedAt = now();
  }

  return {
    begin() {
      monitor.enable();
      beginWindow();
    },
    isOverloaded() {
      if (now() - lookedAt < windowMs) return overloaded;
      overloaded = monitor.percentile(50) / 1e6 - resolutionMs > tooLateMs;
      beginWindow();
      return overloaded;
    },
    [Symbol.dispose]: () => void monitor.disable(),
  };
}
