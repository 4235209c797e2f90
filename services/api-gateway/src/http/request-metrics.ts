import { oncePerRegistry } from '@berth/shared/service/once-per-registry';
import { Gauge, Histogram, type Registry } from 'prom-client';

export interface RequestMetrics {
  seconds: Histogram<'method' | 'route' | 'status'>;
  /** Read when somebody asks for the metrics. */
  inFlight: { count: number };
}

/** The same ones for every server of a registry. */
export const requestMetrics = oncePerRegistry(create);

function create(registry: Registry): RequestMetrics {
  const registers = [registry];
  const inFlight = { count: 0 };
  // oxlint-disable-next-line no-new -- it registers itself
  new Gauge({
    name: 'berth_http_in_flight',
    help: 'Requests being answered',
    registers,
    collect() {
      this.set(inFlight.count);
    },
  });
  const seconds = new Histogram({
    name: 'berth_http_request_seconds',
    help: 'Time to answer a request, by method, route and status; 499 where the client was gone first',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  return { seconds, inFlight };
}
