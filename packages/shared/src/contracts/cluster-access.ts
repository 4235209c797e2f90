import { z } from 'zod';
import { ourServices } from '../access/rules.ts';
import { operation, resource } from './contract.ts';
import { Id, Timestamp } from './fields.ts';

export const clusterAccess = resource('cluster_access', {
  owner: 'cluster-sync',
  singular: 'cluster access',
  operations: {
    issue: operation({
      summary: 'A short-lived kubeconfig for one cluster, without exec plugins or file references',
      allow: ourServices,
      callers: ['runner', 'tasks'],
      body: z.strictObject({ cluster_id: Id }),
      response: z.strictObject({ kubeconfig: z.string(), expires_at: Timestamp }),
      idempotent: true,
    }),
  },
});
