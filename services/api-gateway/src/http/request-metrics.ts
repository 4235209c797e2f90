import { oncePerRegistry } from '@berth/service/metrics/once-per-registry';
import { Gauge, Histogram, type Registry } from 'prom-client';

export interface RequestMetrics {
  seconds: Histogram<'method' | 'route' | 'status'>;
  /** Read when the metrics are scraped. */
  inFlight: { count: number };
}

export const requestMetrics = oncePerRegistry(create);

function create(registry: Registry): RequestMetrics {
  const registers = [registry];
  const inFlight = { count: 0 };
  // oxlint-disable-next-line no-new -- a gauge registers itself
  new Gauge({
    name: 'berth_http_in_flight',
    help: 'Requests in flight',
    registers,
    collect() {
      this.set(inFlight.count);
    },
  });
  const seconds = new Histogram({
    name: 'berth_http_request_seconds',
    help: 'Duration of requests by method, route and status; 499 if the client closed the connection first',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  return { seconds, inFlight };
}
