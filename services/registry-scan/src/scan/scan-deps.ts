import type { Service } from '@berth/shared/service/service';
import type { LimitFunction } from 'p-limit';
import type { ChartRepository } from '../charts/chart-repository.ts';
import type { FetchChartDeps } from '../charts/fetch-chart.ts';
import type { RegistryClient } from '../oci/client/registry-client.ts';
import type { RegistrySource } from '../oci/registry-source.ts';
import type { RegistryRepository } from '../registries/registry-repository.ts';
import type { Catalogue } from './catalogue.ts';
import type { TagRepository } from './tag-repository.ts';

/** A configured registry, and the client that speaks to it. */
export interface WatchedRegistry {
  source: RegistrySource;
  client: RegistryClient;
  /** How many of its packages are in memory at a time, whatever looks for charts. */
  packages: LimitFunction;
}

export interface ScanDeps {
  catalogue: Catalogue;
  chartRepository: Pick<ChartRepository, 'findContent'>;
  registryRepository: Pick<RegistryRepository, 'availableRepositories'>;
  tagRepository: Pick<TagRepository, 'now' | 'known' | 'confirm'>;
  reading: FetchChartDeps;
  log: Pick<Service['log'], 'info' | 'warn'>;
}
