import { implement } from '@berth/bus/rpc/implement';
import { deploymentState } from '@berth/contracts/resources/deployments/deployment-state';
import type { DeploymentsDeps } from './deployments-deps.ts';

export const deploymentStateHandlers = ({ store }: Pick<DeploymentsDeps, 'store'>) =>
  implement(deploymentState, {
    now: async ({ body }) => {
      const row = await store.deployments.record(body.deployment_id);
      if (!row) return { deployment: null };
      const { id, name, env_id, enabled, installed_cluster_id } = row;
      const installed_env_id = installed_cluster_id && (await store.projected.envOfCluster(installed_cluster_id));
      return { deployment: { id, name, env_id, enabled, installed_env_id } };
    },
  });
