import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 20;
const tooLateMs = 200;
const windowMs = 1_000;

export interface Overload extends Disposable {
  /** Begins to measure: delays during the start of the process do not count. */
  begin(): void;
  /** Whether the event loop was more than 200 ms late most of the time. */
  isOverloaded(): boolean;
}

/** The part of Node's event loop monitor that is used. */
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

/** Evaluates the delays at most once a second, by their median: a single long pause, as of a paused machine, is over. */
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
