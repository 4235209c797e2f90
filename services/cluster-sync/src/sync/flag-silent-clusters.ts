import type { ClusterRepository } from '../clusters/cluster-repository.ts';

/**
 * Marks clusters that have not answered for too long as not ok, regardless of the replica that should probe them: a dead
 * replica does not record failures, and probes come only every 15 s.
 */
export const flagSilentClusters =
  ({ clusterRepository }: { clusterRepository: Pick<ClusterRepository, 'silent' | 'recordProbe'> }) =>
  async (): Promise<void> => {
    for (const { id } of await clusterRepository.silent()) await clusterRepository.recordProbe(id, { kind: 'silent' });
  };
