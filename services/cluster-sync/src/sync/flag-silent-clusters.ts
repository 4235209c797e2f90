import type { ClusterRepository } from '../clusters/cluster-repository.ts';

/**
 * Marks clusters that have not answered for too long as not ok, whichever replica should probe them: a dead replica
 * records no failures, and a probe comes only every 15 s.
 */
export const flagSilentClusters =
  ({ clusterRepository }: { clusterRepository: Pick<ClusterRepository, 'silent' | 'recordProbe'> }) =>
  async (): Promise<void> => {
    for (const { id } of await clusterRepository.silent()) await clusterRepository.recordProbe(id, { kind: 'silent' });
  };
