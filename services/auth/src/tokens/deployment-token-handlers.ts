import { implement } from '@berth/bus/rpc/implement';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import { AppError, found } from '@berth/contracts/errors';
import { envOf } from './env-of.ts';
import type { CallingDeployments } from './calling-deployments.ts';
import type { JwtIssuer } from './jwt-issuer.ts';

export interface DeploymentTokenHandlersDeps {
  callingDeployments: CallingDeployments;
  jwtIssuer: Pick<JwtIssuer, 'forDeployment' | 'forCall'>;
}

export const deploymentTokenHandlers = ({ callingDeployments, jwtIssuer }: DeploymentTokenHandlersDeps) => {
  async function enabled(id: string) {
    const deployment = found(await callingDeployments.find(id), 'deployment');
    if (!deployment.enabled) throw new AppError('conflict', 'The deployment is disabled');
    return deployment;
  }

  return implement(deploymentTokens, {
    issue: async ({ body }) => {
      const deployment = await enabled(body.deployment_id);
      // It may have moved since the caller read it, and the token would carry the rights of the new env.
      if (envOf(deployment) !== body.env_id) throw new AppError('conflict', 'The deployment is in another env');
      return jwtIssuer.forDeployment({ id: deployment.id, env_id: body.env_id });
    },
    issue_for_call: async ({ body: { deployment_id, ...call } }) =>
      jwtIssuer.forCall(await enabled(deployment_id), call),
  });
};
