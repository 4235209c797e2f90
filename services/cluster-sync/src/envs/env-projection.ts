import { envs } from '@berth/shared/contracts/resources/envs';
import { createProjection } from '@berth/shared/db/projections/projection';
import { createClusterRepository } from '../clusters/cluster-repository.ts';

/**
 * Which envs there are. Auth checks for clusters before it deletes one; this takes back a cluster that was given to it in that
 * very moment.
 */
export const envProjection = createProjection({
  resource: envs,
  table: 'envs_seen',
  columns: [],
  onGone: (id, tx) => createClusterRepository(tx).releaseEnv(id),
});
