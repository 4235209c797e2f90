import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import type { ClusterMetrics } from './cluster-metrics.ts';
import type { ClusterRepository } from './cluster-repository.ts';

export interface ObserveClustersDeps {
  clusterRepository: Pick<ClusterRepository, 'observed'>;
  metrics: Pick<ClusterMetrics, 'observed'>;
}

/** All replicas report the same clusters, whichever syncs them: aggregate them with the maximum, not the sum. */
export const observeClusters = ({ clusterRepository, metrics }: ObserveClustersDeps): Loop =>
  every(15_000, async () => metrics.observed([...(await clusterRepository.observed())]));
