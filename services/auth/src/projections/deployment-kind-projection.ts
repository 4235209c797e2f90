import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import { createProjection } from '@berth/db/projections/projection';

/** For roles on kinds: whether a kind exists. */
export const deploymentKindProjection = createProjection({
  resource: deploymentKinds,
  table: 'deployment_kind_projection',
  columns: [],
});
