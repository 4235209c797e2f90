import { envs } from '@berth/contracts/resources/envs/envs';
import { createProjection } from '@berth/db/projections/projection';
import { createClusterRepository } from '../clusters/cluster-repository.ts';

/**
 * The ids of all envs. Auth refuses to delete an env with clusters; this releases a cluster that was assigned between
 * that check and the deletion.
 */
export const envProjection = createProjection({
  resource: envs,
  table: 'env_projection',
  columns: [],
  onGone: (id, tx) => createClusterRepository(tx).releaseEnv(id),
});
