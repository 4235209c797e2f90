import type { Service } from '@berth/shared/service/service';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ClusterDirectory } from './cluster-directory.ts';
import { discoveryPlan } from './discovery-plan.ts';
import { kubeconfigPrefix, type ReachableCluster } from './read-kubeconfig.ts';

export interface DiscoverClustersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'ofProvider' | 'upsert' | 'recordProbe'>;
  readonly directory: Pick<ClusterDirectory, 'replace'>;
  readonly log: Service['log'];
  read(): Promise<ReachableCluster[]>;
  readonly ignoreNew: boolean;
}

const vanished = 'it is no longer in the kubeconfig';

/**
 * Reads the kubeconfig and stores its clusters. The file is read each time, so that a cluster that moved is found again.
 * While it cannot be read (it may be half written) nothing changes: clusters that are really gone fail their probes.
 */
export function discoverClusters({ clusterRepository, directory, log, read, ignoreNew }: DiscoverClustersDeps) {
  let trouble: string | null = null;

  return async (): Promise<void> => {
    const clusters = await read().catch((error: unknown) => {
      const words = error instanceof Error ? error.message : 'the kubeconfig cannot be used';
      if (words !== trouble) log.warn({ reason: words }, 'cluster discovery fails');
      trouble = words;
    });
    if (!clusters) return;
    trouble = null;

    directory.replace(clusters);
    const plan = async () =>
      discoveryPlan(clusters, await clusterRepository.ofProvider(kubeconfigPrefix), { ignoreNew, vanished });
    const { upsert } = await plan();
    for (const cluster of upsert) {
      await clusterRepository.upsert(cluster);
      log.info({ provider_id: cluster.provider_id }, 'cluster discovered');
    }
    // Planned again: a refused cluster needs its row before its reason can be recorded.
    for (const { id, reason } of (await plan()).unusable) {
      await clusterRepository.recordProbe(id, { kind: 'unusable', reason });
    }
  };
}
