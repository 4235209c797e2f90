import { envs } from '@berth/contracts/resources/envs/envs';
import { createProjection } from '@berth/db/projections/projection';
import { createClusterRepository } from '../clusters/cluster-repository.ts';
import { createGrantChanges } from '../grants/grant-repository.ts';

/**
 * The ids of all envs. Auth refuses to delete an env with clusters; this releases a cluster that was assigned between
 * that check and the deletion. Grants go with their env.
 */
export const envProjection = createProjection({
  resource: envs,
  table: 'env_projection',
  columns: [],
  onGone: async (id, tx, why) => {
    await createClusterRepository(tx).releaseEnv(id);
    // Grants stay: a restored backup may lack the env, which may come back. Without clusters they have no effect.
    if (why === 'deleted') await createGrantChanges(tx).removeOfEnv(id);
  },
});
