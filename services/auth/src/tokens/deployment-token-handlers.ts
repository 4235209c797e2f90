import { implement } from '@berth/shared/bus/rpc/implement';
import { deploymentTokens } from '@berth/shared/contracts/resources/deployment-tokens';
import { AppError, found } from '@berth/shared/errors';
import type { CallingDeployments } from '../authentication/calling-deployments.ts';
import type { JwtIssuer } from './jwt-issuer.ts';

export interface DeploymentTokenHandlersDeps {
  callingDeployments: CallingDeployments;
  jwtIssuer: Pick<JwtIssuer, 'forDeployment'>;
}

export const deploymentTokenHandlers = ({ callingDeployments, jwtIssuer }: DeploymentTokenHandlersDeps) =>
  implement(deploymentTokens, {
    issue: async ({ body }) => {
      const deployment = found(await callingDeployments.find(body.deployment_id), 'deployment');
      if (!deployment.enabled) throw new AppError('conflict', 'The deployment is disabled');
      return jwtIssuer.forDeployment(deployment);
    },
  });
