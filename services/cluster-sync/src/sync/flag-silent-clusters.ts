import type { ClusterRepository } from '../clusters/cluster-repository.ts';

/**
 * Finds clusters that gave no answer for too long, whoever was to probe them: a replica that died probes no more, and a
 * probe comes only every quarter of a minute.
 */
export const flagSilentClusters =
  ({ clusterRepository }: { clusterRepository: Pick<ClusterRepository, 'silent' | 'recordSign'> }) =>
  async (): Promise<void> => {
    for (const { id } of await clusterRepository.silent()) await clusterRepository.recordSign(id, { kind: 'silent' });
  };
