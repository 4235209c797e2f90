import { deployments } from '@berth/shared/contracts/deployments';
import { createProjection } from '@berth/shared/db/projection';

/** Which charts are in use, for a filter of lists: nobody's rights follow from it. */
export const deploymentProjection = createProjection({
  resource: deployments,
  table: 'deployments_seen',
  columns: ['helm_chart_id'],
});
