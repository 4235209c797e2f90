import { Gauge, type Registry } from 'prom-client';

const made = new WeakMap<Registry, StateMetrics>();

/** How full the stream of this service's state is; the same for every bus of a registry. */
export function stateMetrics(registry: Registry): StateMetrics {
  const known = made.get(registry) ?? create(registry);
  made.set(registry, known);
  return known;
}

const create = (registry: Registry) => ({
  streamUsed: new Gauge({
    name: 'berth_state_stream_used_ratio',
    help: "Bytes of this service's state in NATS, of those its stream may hold; at 1 no new rows reach the others",
    registers: [registry],
  }),
});

type StateMetrics = ReturnType<typeof create>;
