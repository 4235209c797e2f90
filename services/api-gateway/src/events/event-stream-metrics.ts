import { oncePerRegistry } from '@berth/service/metrics/once-per-registry';
import { Gauge, type Registry } from 'prom-client';

export interface EventStreamMetrics {
  opened(): Disposable;
}

export const eventStreamMetrics = oncePerRegistry(create);

function create(registry: Registry): EventStreamMetrics {
  const open = new Gauge({ name: 'berth_event_streams_open', help: 'Open streams of events', registers: [registry] });
  return {
    opened() {
      open.inc();
      return { [Symbol.dispose]: () => open.dec() };
    },
  };
}
