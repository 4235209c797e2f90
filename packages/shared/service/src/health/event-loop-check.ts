import { monitorEventLoopDelay } from 'node:perf_hooks';

const tooLongNs = 1e9;

/** Whether the event loop is responsive: false if the 99th percentile of its delay since the last check exceeds one second. */
export function watchEventLoop() {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  return {
    turns(): boolean {
      const worst = delay.percentile(99);
      delay.reset();
      return worst < tooLongNs;
    },
    [Symbol.dispose]: () => void delay.disable(),
  };
}
