import { implement } from '@berth/bus/rpc/implement';
import { deploymentState } from '@berth/contracts/resources/deployments/deployment-state';
import type { DeploymentsDeps } from './deployments-deps.ts';

export const deploymentStateHandlers = ({ store }: Pick<DeploymentsDeps, 'store'>) =>
  implement(deploymentState, {
    now: async ({ body }) => {
      const row = await store.deployments.find(body.deployment_id, 'all');
      return { deployment: row && { id: row.id, name: row.name, env_id: row.env_id, enabled: row.enabled } };
    },
  });
