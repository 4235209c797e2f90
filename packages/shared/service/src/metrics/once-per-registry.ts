import type { Registry } from 'prom-client';

/** Makes the metrics of a registry once: a second one of the same name would be refused. */
export function oncePerRegistry<Metrics>(make: (registry: Registry) => Metrics): (registry: Registry) => Metrics {
  const made = new WeakMap<Registry, { metrics: Metrics }>();
  return (registry) => {
    const known = made.get(registry) ?? { metrics: make(registry) };
    made.set(registry, known);
    return known.metrics;
  };
}
