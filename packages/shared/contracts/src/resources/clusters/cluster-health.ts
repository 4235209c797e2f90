import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id } from '../../fields/fields.ts';

export const mostRepeated = 500;

/** Asked of `cluster-sync` once a cluster answers again: reports from before its silence no longer count. */
export const clusterHealth = resource('cluster_health', {
  owner: 'cluster-sync',
  singular: 'cluster',
  operations: {
    repeat: operation({
      summary: 'Report the health of these deployments again; answers with those of which no object is known there',
      allow: ourServices,
      callers: ['tasks'],
      body: z.strictObject({ cluster_id: Id, deployment_ids: z.array(Id).max(mostRepeated) }),
      response: z.strictObject({ absent: z.array(Id) }),
      idempotent: true,
    }),
  },
});
