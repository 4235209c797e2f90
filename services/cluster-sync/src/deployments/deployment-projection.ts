import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { createProjection } from '@berth/db/projections/projection';
import { createCredentialRepository } from '../credentials/credential-repository.ts';

/** Where each deployment runs. It lags, so auth confirms the deployment again before it issues a token. */
export const deploymentProjection = createProjection({
  resource: deployments,
  table: 'deployment_projection',
  columns: ['env_id', 'cluster_id', 'namespace', 'enabled'],
  onGone: (id, tx) => createCredentialRepository(tx).forget(id),
});
