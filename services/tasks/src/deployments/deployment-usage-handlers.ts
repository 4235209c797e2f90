import { implement } from '@berth/bus/rpc/implement';
import { deploymentUsage } from '@berth/contracts/resources/deployments/deployment-usage';
import type { InTransaction, ReadingStore } from '../store/store.ts';

/** Longer than the cluster request that waits for this answer. */
const closedMs = 15_000;

interface DeploymentUsageDeps {
  store: Pick<ReadingStore, 'secrets' | 'resources'>;
  inTransaction: InTransaction;
}

export const deploymentUsageHandlers = ({ store, inTransaction }: DeploymentUsageDeps) =>
  implement(deploymentUsage, {
    // Called before a cluster is deleted or moved. A deployment created between this answer and that change would be orphaned.
    of_cluster: ({ body: { cluster_id } }) =>
      inTransaction(async ({ projected, deployments }) => {
        await projected.closeCluster(cluster_id, closedMs);
        const onCluster = await deployments.onCluster(cluster_id);
        if (onCluster.count > 0) await projected.reopenCluster(cluster_id);
        return { deployments: onCluster };
      }),

    of_env: async ({ body }) => ({
      secrets: await store.secrets.inEnv(body.env_id),
      deployment_resources: await store.resources.inEnv(body.env_id),
    }),
  });
