import { oncePerRegistry } from '@berth/service/metrics/once-per-registry';
import { Counter, type Registry } from 'prom-client';

/** Counts connections that were closed to make room or because their client did not read its answer. */
export const closedConnections = oncePerRegistry((registry: Registry) => {
  const closed = new Counter({
    name: 'berth_http_connections_closed_total',
    help: 'Closed connections: too many were open (waiting: the longest waiting one; new: all others were being answered), or the client did not read its answer (slow)',
    labelNames: ['connection'],
    registers: [registry],
  });
  return (connection: 'waiting' | 'new' | 'slow') => closed.inc({ connection });
});
