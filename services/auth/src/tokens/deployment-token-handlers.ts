import { implement } from '@berth/shared/bus/implement';
import { deploymentTokens } from '@berth/shared/contracts/deployment-tokens';
import type { Database } from '@berth/shared/db/database';
import { AppError, found } from '@berth/shared/errors';
import { createDeploymentSeenRepository } from '../seen/deployment-seen-repository.ts';
import type { JwtIssuer } from './jwt-issuer.ts';

export interface DeploymentTokenHandlersDeps {
  db: Database;
  jwtIssuer: Pick<JwtIssuer, 'forDeployment'>;
}

export const deploymentTokenHandlers = ({ db, jwtIssuer }: DeploymentTokenHandlersDeps) => {
  const deploymentSeenRepository = createDeploymentSeenRepository(db);

  return implement(deploymentTokens, {
    issue: async ({ body }) => {
      const deployment = found(await deploymentSeenRepository.find(body.deployment_id), 'deployment');
      if (!deployment.enabled) throw new AppError('conflict', 'The deployment is disabled');
      return jwtIssuer.forDeployment(deployment);
    },
  });
};
