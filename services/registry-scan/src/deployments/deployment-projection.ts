import { deployments } from '@berth/shared/contracts/resources/deployments';
import { createProjection } from '@berth/shared/db/projections/projection';

/** Which charts are in use, for a filter of lists: nobody's rights follow from it. */
export const deploymentProjection = createProjection({
  resource: deployments,
  table: 'deployments_seen',
  columns: ['helm_chart_id'],
});
