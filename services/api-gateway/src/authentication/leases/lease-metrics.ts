import { oncePerRegistry } from '@berth/service/metrics/once-per-registry';
import { Counter, type Registry } from 'prom-client';

export const leaseMetrics = oncePerRegistry(create);

function create(registry: Registry) {
  const registers = [registry];
  return {
    lookups: new Counter({
      name: 'berth_identity_lookups_total',
      help: 'Requests by the source of their identity: read earlier under a lease, or from auth',
      labelNames: ['from'] as const,
      registers,
    }),
    forgotten: new Counter({
      name: 'berth_identities_forgotten_total',
      help: 'Times that auth made this gateway forget the identities that it had read',
      registers,
    }),
    renewals: new Counter({
      name: 'berth_identity_lease_renewals_total',
      help: 'Renewals of the identity lease, by outcome',
      labelNames: ['outcome'] as const,
      registers,
    }),
  };
}
