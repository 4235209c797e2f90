import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id } from '../../fields/fields.ts';
import { K8sCluster } from './k8s-clusters.ts';
import { rowState } from '../../fields/row-state.ts';

/** Read from the owner if permission or env depends on the answer, because a projection may lag. */
export const clusterState = resource('cluster_state', {
  owner: 'cluster-sync',
  singular: 'cluster',
  operations: {
    now: operation({
      summary: 'A cluster as it is now, with its version',
      allow: ourServices,
      callers: ['tasks'],
      body: z.strictObject({ cluster_id: Id }),
      response: z.strictObject({ cluster: rowState(K8sCluster).nullable() }),
      idempotent: true,
    }),
  },
});
