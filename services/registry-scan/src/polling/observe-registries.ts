import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import type { RegistrySource } from '../connection/registry-source.ts';
import type { PollRepository } from './poll-repository.ts';
import type { ScanMetrics } from './scan-metrics.ts';

/** Created registries that say nothing are polled this often, or more often. */
const usualIntervalSeconds = 300;

export interface ObserveRegistriesDeps {
  pollRepository: Pick<PollRepository, 'freshness'>;
  metrics: Pick<ScanMetrics, 'observed'>;
  sources: readonly Pick<RegistrySource, 'domain' | 'pollIntervalMs'>[];
}

/** All replicas report the same registries, whichever polls them: aggregate them with the maximum, not the sum. */
export const observeRegistries = (deps: ObserveRegistriesDeps): Loop => every(15_000, () => observe(deps));

export async function observe({ pollRepository, metrics, sources }: ObserveRegistriesDeps): Promise<void> {
  const intervals = new Map(sources.map(({ domain, pollIntervalMs }) => [domain, pollIntervalMs / 1_000]));
  const rows = await pollRepository.freshness([...intervals.keys()]);
  metrics.observed(
    rows.map(({ interval_seconds, ...row }) => ({
      ...row,
      intervalSeconds: intervals.get(row.name) ?? interval_seconds ?? usualIntervalSeconds,
    })),
  );
}
