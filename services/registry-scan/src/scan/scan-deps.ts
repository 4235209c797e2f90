import type { Service } from '@berth/service/service';

import type { ChartRepository } from '../charts/chart-repository.ts';
import type { FetchChartDeps } from '../charts/fetch-chart.ts';

import type { RegistryRepository } from '../registries/registry-repository.ts';
import type { Catalogue } from './catalogue.ts';
import type { TagRepository } from './tag-repository.ts';

export interface ScanDeps {
  catalogue: Catalogue;
  chartRepository: Pick<ChartRepository, 'findContent'>;
  registryRepository: Pick<RegistryRepository, 'knownRepositories' | 'recordError'>;
  tagRepository: Pick<TagRepository, 'now' | 'known' | 'countNotFinal' | 'confirm'>;
  fetching: FetchChartDeps;
  log: Pick<Service['log'], 'info' | 'warn'>;
}
