import { oncePerRegistry } from '@berth/service/metrics/once-per-registry';
import { Counter, type Registry } from 'prom-client';

/** Counts the connections that the gateway closed for want of room, or because nobody read their answers. */
export const closedConnections = oncePerRegistry((registry: Registry) => {
  const closed = new Counter({
    name: 'berth_http_connections_closed_total',
    help: 'Connections that were closed: too many were open (waiting: the one that had waited the longest; new: all others were being answered), or nobody read the answer (slow)',
    labelNames: ['connection'],
    registers: [registry],
  });
  return (connection: 'waiting' | 'new' | 'slow') => closed.inc({ connection });
});
