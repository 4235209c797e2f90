import { oncePerRegistry } from '@berth/service/metrics/once-per-registry';
import { Gauge, Histogram, type Registry } from 'prom-client';

export const rightsChangeMetrics = oncePerRegistry(create);

function create(registry: Registry) {
  const registers = [registry];
  return {
    waited: new Histogram({
      name: 'berth_rights_change_wait_seconds',
      help: 'Time that a change of rights waited for gateways, by outcome: no lease, all confirmed, or a lease expired',
      labelNames: ['outcome'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.25, 2.5],
      registers,
    }),
    holders: new Gauge({
      name: 'berth_identity_lease_holders',
      help: 'Gateways that held an identity lease at the last change of rights',
      registers,
    }),
  };
}
