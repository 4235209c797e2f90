import { Gauge } from 'prom-client';
import { oncePerRegistry } from '@berth/service/metrics/once-per-registry';

/** How full the stream of this service's state is; one metric for every bus of a registry. */
export const stateMetrics = oncePerRegistry((registry) => ({
  streamUsed: new Gauge({
    name: 'berth_state_stream_used_ratio',
    help: "Bytes of this service's state in NATS, of those its stream may hold; at 1 no new rows reach the others",
    registers: [registry],
  }),
}));
