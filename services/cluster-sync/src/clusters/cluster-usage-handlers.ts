import { implement } from '@berth/shared/bus/rpc/implement';
import { clusterUsage } from '@berth/shared/contracts/resources/cluster-usage';
import type { ClusterRepository } from './cluster-repository.ts';

export interface ClusterUsageHandlersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'usageOfEnv'>;
}

export const clusterUsageHandlers = ({ clusterRepository }: ClusterUsageHandlersDeps) =>
  implement(clusterUsage, {
    of_env: async ({ body }) => ({ clusters: await clusterRepository.usageOfEnv(body.env_id) }),
  });
