import { Histogram, type Registry } from 'prom-client';
import { oncePerRegistry } from './once-per-registry.ts';

const sampleEveryMs = 20;
const buckets = [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30];

const histogramsOf = oncePerRegistry((registry) => {
  const histogram = (name: string, help: string) => new Histogram({ name, help, buckets, registers: [registry] });
  return {
    delay: histogram(
      'berth_event_loop_delay_seconds',
      'How much later than due the event loop came to a timer, sampled every 20 ms',
    ),
    ownDelay: histogram(
      'berth_event_loop_own_delay_seconds',
      'The part of each event loop delay that the thread of the loop spent on a core: the rest is waiting for a core or a disk',
    ),
  };
});

/**
 * Shows how long everything that a process serves had to wait for one piece of work. Histograms that only grow, unlike
 * the gauges of Node's own metrics, which forget at every scrape: whoever scrapes seldom, or twice, sees every block.
 * On a busy machine a loop is late without doing anything itself, so its own part is shown beside the delay.
 */
export function observeEventLoopDelay(registry: Registry): Disposable {
  const { delay, ownDelay } = histogramsOf(registry);
  let timer: NodeJS.Timeout | undefined;
  const sample = () => {
    const due = performance.now() + sampleEveryMs;
    const spentBefore = process.threadCpuUsage();
    timer = setTimeout(() => {
      const late = Math.max(0, performance.now() - due) / 1000;
      const { user, system } = process.threadCpuUsage(spentBefore);
      delay.observe(late);
      ownDelay.observe(Math.min(late, (user + system) / 1e6));
      sample();
    }, sampleEveryMs).unref();
  };
  sample();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
