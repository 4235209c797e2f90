import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { createProjection } from '@berth/db/projections/projection';

/** Which charts are in use, for a filter of lists only: no permission depends on it. */
export const deploymentProjection = createProjection({
  resource: deployments,
  table: 'deployment_projection',
  columns: ['helm_chart_id'],
});
