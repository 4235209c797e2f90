import { implement } from '@berth/shared/bus/rpc/implement';
import { deploymentUsage } from '@berth/shared/contracts/resources/deployment-usage';
import type { ReadingStore } from '../store/store.ts';

const none = { count: 0, names: [] };

export const deploymentUsageHandlers = ({ store }: { store: Pick<ReadingStore, 'deployments'> }) =>
  implement(deploymentUsage, {
    of_cluster: async ({ body }) => ({ deployments: await store.deployments.onCluster(body.cluster_id) }),

    // Nobody can make either yet; both resources are outstanding.
    of_env: async () => ({ secrets: none, deployment_resources: none }),
  });
