import { deploymentKinds } from '@berth/shared/contracts/resources/deployment-kinds';
import { createProjection } from '@berth/shared/db/projections/projection';

/** For roles on kinds: whether a kind exists. */
export const deploymentKindProjection = createProjection({
  resource: deploymentKinds,
  table: 'deployment_kind_projection',
  columns: [],
});
