import { implement } from '@berth/bus/rpc/implement';
import { clusterUsage } from '@berth/contracts/resources/clusters/cluster-usage';
import type { ClusterRepository } from './cluster-repository.ts';

export interface ClusterUsageHandlersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'usageOfEnv'>;
}

export const clusterUsageHandlers = ({ clusterRepository }: ClusterUsageHandlersDeps) =>
  implement(clusterUsage, {
    of_env: async ({ body }) => ({ clusters: await clusterRepository.usageOfEnv(body.env_id) }),
  });
