import type { Registry } from 'prom-client';

/** Creates the metrics of a registry once, since registering a name twice fails. */
export function oncePerRegistry<Metrics>(make: (registry: Registry) => Metrics): (registry: Registry) => Metrics {
  const made = new WeakMap<Registry, { metrics: Metrics }>();
  return (registry) => {
    const known = made.get(registry) ?? { metrics: make(registry) };
    made.set(registry, known);
    return known.metrics;
  };
}
