import { implement } from '@berth/shared/bus/rpc/implement';
import { deploymentUsage } from '@berth/shared/contracts/resources/deployment-usage';
import type { ReadingStore } from '../store/store.ts';

const none = { count: 0, names: [] };

export const deploymentUsageHandlers = ({ store }: { store: Pick<ReadingStore, 'deployments' | 'secrets'> }) =>
  implement(deploymentUsage, {
    of_cluster: async ({ body }) => ({ deployments: await store.deployments.onCluster(body.cluster_id) }),

    of_env: async ({ body }) => ({
      secrets: await store.secrets.inEnv(body.env_id),
      // Nobody can make them yet; the resource is outstanding.
      deployment_resources: none,
    }),
  });
