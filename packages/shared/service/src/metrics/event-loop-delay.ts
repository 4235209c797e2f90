import { Histogram, type Registry } from 'prom-client';
import { oncePerRegistry } from './once-per-registry.ts';

const sampleEveryMs = 20;
const buckets = [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30];

const histogramsOf = oncePerRegistry((registry) => {
  const histogram = (name: string, help: string) => new Histogram({ name, help, buckets, registers: [registry] });
  return {
    delay: histogram('berth_event_loop_delay_seconds', 'How late the event loop ran a timer, sampled every 20 ms'),
    ownDelay: histogram(
      'berth_event_loop_own_delay_seconds',
      'The part of each event loop delay that its thread spent on a core; the rest it waited for a core or a disk',
    ),
  };
});

/**
 * Measures how long single pieces of work block all others in the process. Histograms, because Node's own metrics are gauges that
 * reset at every scrape, so infrequent or duplicate scrapers miss blocks. On a busy machine the loop is late without computing,
 * so its computing time is a second histogram.
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
