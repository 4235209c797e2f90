import { firstNamed, oldestNamed } from '@berth/service/metrics/bounded-names';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FailureCause } from '../connection/failure-cause.ts';
import type { RoundProgress } from '../scan/scanned-registry.ts';

/** What scanning costs, and how far it is, by registry. */
export interface ScanMetrics {
  /** `status` of the answer, or null if there was none. */
  requested(registry: string, status: number | null): void;
  progressed(registry: string, progress: RoundProgress): void;
  completed(registry: string, seconds: number): void;
  /** A round that failed, or left something out. */
  failed(registry: string, cause: FailureCause): void;
  /** All registries as the database has them: each replica shows the same, also after a restart. */
  observed(registries: readonly RegistryFreshness[]): void;
  /** What became of a message of a queue of push events. */
  handled(queue: string, outcome: 'done' | 'later' | 'buried'): void;
}

interface RegistryFreshness {
  name: string;
  /** When the last complete scan ended, or the first round while there is none; in seconds. */
  at: number;
  /** Consecutive failed rounds. */
  failures: number;
  intervalSeconds: number;
}

export function createScanMetrics(registers: Registry): ScanMetrics {
  const labels = { labelNames: ['registry'] as const, registers: [registers] };
  const requests = new Counter({
    name: 'berth_registry_requests_total',
    help: 'Requests to registries, by status of the answer: its class, 304, 429 or none',
    labelNames: ['registry', 'status'] as const,
    registers: [registers],
  });
  const completedAt = new Gauge({
    name: 'berth_registry_last_complete_scan_timestamp_seconds',
    help: 'When the last scan of the registry ended that left nothing out; while there is none, when its first round ended',
    ...labels,
  });
  const took = new Gauge({
    name: 'berth_registry_scan_seconds',
    help: 'How long the last complete scan of the registry took, with its pauses',
    ...labels,
  });
  const failures = new Gauge({
    name: 'berth_registry_scan_failures',
    help: 'Consecutive failed scans of the registry',
    ...labels,
  });
  const interval = new Gauge({
    name: 'berth_registry_poll_interval_seconds',
    help: 'How often the registry is to be scanned',
    ...labels,
  });
  const failed = new Counter({
    name: 'berth_registry_failed_scans_total',
    help: 'Scans by this replica that failed or left something out, by cause: unavailable, denied, malformed, refused, other',
    labelNames: ['registry', 'cause'] as const,
    registers: [registers],
  });
  const named = firstNamed(otherRegistries);
  const repositories = new Gauge({
    name: 'berth_registry_scan_repositories',
    help: 'Repositories in the current scan of the registry, or the last: all of them, and those done',
    labelNames: ['registry', 'part'] as const,
    registers: [registers],
  });
  const messages = new Counter({
    name: 'berth_registry_queue_messages_total',
    help: 'Messages of queues of push events, by outcome: done, later, which come back, or buried as dead letters',
    labelNames: ['queue', 'outcome'] as const,
    registers: [registers],
  });

  return {
    requested: (registry, status) => requests.inc({ registry: named(registry), status: classOf(status) }),
    progressed(registry, progress) {
      repositories.set({ registry: named(registry), part: 'all' }, progress.repositories);
      repositories.set({ registry: named(registry), part: 'done' }, progress.done);
    },
    completed: (registry, seconds) => took.set({ registry: named(registry) }, seconds),
    failed: (registry, cause) => failed.inc({ registry: named(registry), cause }),
    observed(registries) {
      for (const gauge of [completedAt, failures, interval]) gauge.reset();
      for (const { name, at, failures: count, intervalSeconds } of oldestNamed(registries, together)) {
        completedAt.set({ registry: name }, at);
        failures.set({ registry: name }, count);
        interval.set({ registry: name }, intervalSeconds);
      }
    },
    handled: (queue, outcome) => messages.inc({ queue, outcome }),
  };
}

const otherRegistries = 'other registries';

const together = (others: readonly RegistryFreshness[]): RegistryFreshness => ({
  name: otherRegistries,
  at: Math.min(...others.map(({ at }) => at)),
  failures: Math.max(...others.map(({ failures }) => failures)),
  intervalSeconds: Math.max(...others.map(({ intervalSeconds }) => intervalSeconds)),
});

function classOf(status: number | null): string {
  if (status === null) return 'none';
  return status === 304 || status === 429 ? String(status) : `${Math.floor(status / 100)}xx`;
}
