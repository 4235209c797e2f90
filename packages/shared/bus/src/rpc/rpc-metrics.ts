import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { oncePerRegistry } from '@berth/service/metrics/once-per-registry';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const labelNames = ['resource', 'operation', 'code'] as const;

/** Counts calls by operation and outcome, on both sides; all buses of a registry share these metrics. */
export const rpcMetrics = oncePerRegistry(create);

function create(registry: Registry) {
  const registers = [registry];
  return {
    served: new Histogram({
      name: 'berth_rpc_served_seconds',
      help: 'Time to answer a request, by operation and outcome',
      labelNames,
      buckets,
      registers,
    }),
    called: new Histogram({
      name: 'berth_rpc_called_seconds',
      help: 'Time until an answer to our own request, by operation and outcome',
      labelNames,
      buckets,
      registers,
    }),
    inFlight: new Gauge({ name: 'berth_rpc_in_flight', help: 'Requests being handled', registers }),
    dropped: new Counter({
      name: 'berth_rpc_dropped_total',
      help: 'Messages not answered at all, by reason',
      labelNames: ['reason'] as const,
      registers,
    }),
    denied: new Counter({
      name: 'berth_nats_denied_total',
      help: 'Permission violations reported by NATS; investigate each',
      labelNames: ['operation'] as const,
      registers,
    }),
    slow: new Counter({ name: 'berth_nats_slow_total', help: 'Times that messages piled up', registers }),
  };
}

export type RpcMetrics = ReturnType<typeof create>;
