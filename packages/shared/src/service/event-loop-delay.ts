import { Histogram, type Registry } from 'prom-client';

const sampleEveryMs = 20;
const buckets = [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30];

const made = new WeakMap<Registry, Histogram>();

function histogramOf(registry: Registry): Histogram {
  const known =
    made.get(registry) ??
    new Histogram({
      name: 'berth_event_loop_delay_seconds',
      help: 'How much later than due the event loop came to a timer, sampled every 20 ms',
      buckets,
      registers: [registry],
    });
  made.set(registry, known);
  return known;
}

/**
 * Shows how long everything that a process serves had to wait for one piece of work. A histogram that only grows, unlike
 * the gauges of Node's own metrics, which forget at every scrape: whoever scrapes seldom, or twice, sees every block.
 */
export function observeEventLoopDelay(registry: Registry): Disposable {
  const histogram = histogramOf(registry);
  let timer: NodeJS.Timeout | undefined;
  const sample = () => {
    const due = performance.now() + sampleEveryMs;
    timer = setTimeout(() => {
      histogram.observe(Math.max(0, performance.now() - due) / 1000);
      sample();
    }, sampleEveryMs).unref();
  };
  sample();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
