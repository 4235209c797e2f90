import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id } from '../../fields/fields.ts';
import { Usage } from '../../fields/usage.ts';

/** Read from the owner: a deletion must not rely on a projection, which may lag. */
export const clusterUsage = resource('cluster_usage', {
  owner: 'cluster-sync',
  singular: 'usage',
  operations: {
    of_env: operation({
      summary: 'Clusters of an env',
      allow: ourServices,
      callers: ['auth'],
      body: z.strictObject({ env_id: Id }),
      response: z.strictObject({ clusters: Usage }),
      idempotent: true,
    }),
  },
});
