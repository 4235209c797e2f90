import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Claim } from '../../fields/claim.ts';
import { Timestamp } from '../../fields/fields.ts';

export const clusterAccess = resource('cluster_access', {
  owner: 'cluster-sync',
  singular: 'cluster access',
  operations: {
    issue: operation({
      summary: 'A short-lived kubeconfig for the cluster of a claimed task, without exec plugins or file references',
      allow: ourServices,
      callers: ['runner'],
      // The claim determines the cluster, so a runner gets access to no other.
      body: z.strictObject(Claim),
      response: z.strictObject({ kubeconfig: z.string(), expires_at: Timestamp }),
      idempotent: true,
    }),
  },
});
