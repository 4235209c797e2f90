import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { createProjection } from '@berth/db/projections/projection';

/** Which charts are in use. Only a filter of lists uses it, permissions do not. */
export const deploymentProjection = createProjection({
  resource: deployments,
  table: 'deployment_projection',
  columns: ['helm_chart_id'],
});
