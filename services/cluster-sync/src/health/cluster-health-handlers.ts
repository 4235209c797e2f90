import { implement } from '@berth/bus/rpc/implement';
import { clusterHealth } from '@berth/contracts/resources/clusters/cluster-health';
import type { RollUpRepository } from './roll-up-repository.ts';

export interface ClusterHealthHandlersDeps {
  readonly rollUpRepository: Pick<RollUpRepository, 'repeat'>;
}

export const clusterHealthHandlers = ({ rollUpRepository }: ClusterHealthHandlersDeps) =>
  implement(clusterHealth, {
    repeat: async ({ body: { cluster_id, deployment_ids } }) => {
      const known = new Set(await rollUpRepository.repeat(cluster_id, deployment_ids));
      return { absent: deployment_ids.filter((id) => !known.has(id)) };
    },
  });
