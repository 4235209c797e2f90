import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id } from '../../fields/fields.ts';
import { Usage } from '../../fields/usage.ts';

/** Read from the owner: a deletion must not rely on a projection, which may lag. */
export const deploymentUsage = resource('deployment_usage', {
  owner: 'tasks',
  singular: 'usage',
  operations: {
    of_cluster: operation({
      summary: 'Deployments on a cluster',
      allow: ourServices,
      callers: ['cluster-sync'],
      body: z.strictObject({ cluster_id: Id }),
      response: z.strictObject({ deployments: Usage }),
      idempotent: true,
    }),
    of_env: operation({
      summary: 'Secrets and deployment resources in an env',
      allow: ourServices,
      callers: ['auth'],
      body: z.strictObject({ env_id: Id }),
      response: z.strictObject({ secrets: Usage, deployment_resources: Usage }),
      idempotent: true,
    }),
  },
});
