import { Counter, Gauge, type Registry } from 'prom-client';
import type { RoundProgress } from '../scan/configured-registry.ts';

/** What scanning costs, and how far it is, by registry. */
export interface ScanMetrics {
  /** `status` of the answer, or null if there was none. */
  requested(registry: string, status: number | null): void;
  progressed(registry: string, progress: RoundProgress): void;
  completed(registry: string, seconds: number): void;
  /** A round that failed, or left something out. `failures`: consecutive failed rounds. */
  failed(registry: string, failures: number): void;
  /** What became of a message of a queue of push events. */
  handled(queue: string, outcome: 'done' | 'later' | 'buried'): void;
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
    help: 'When the last scan of the registry by this replica ended that left nothing out',
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
    requested: (registry, status) => requests.inc({ registry, status: classOf(status) }),
    progressed(registry, progress) {
      repositories.set({ registry, part: 'all' }, progress.repositories);
      repositories.set({ registry, part: 'done' }, progress.done);
    },
    completed(registry, seconds) {
      completedAt.set({ registry }, Date.now() / 1000);
      took.set({ registry }, seconds);
      failures.set({ registry }, 0);
    },
    failed: (registry, count) => failures.set({ registry }, count),
    handled: (queue, outcome) => messages.inc({ queue, outcome }),
  };
}

function classOf(status: number | null): string {
  if (status === null) return 'none';
  return status === 304 || status === 429 ? String(status) : `${Math.floor(status / 100)}xx`;
}
