import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Reason, Text } from '../../fields/fields.ts';
import { Deployment } from './deployments.ts';

/** Where a deployment runs, or will be installed, from its owner. The env is that of this place. */
export const DeploymentPlace = Deployment.pick({
  id: true,
  kind_id: true,
  env_id: true,
  cluster_id: true,
  namespace: true,
  status: true,
  revision_id: true,
});
export type DeploymentPlace = z.infer<typeof DeploymentPlace>;

/** Read from the owner: the right to read a pod's log must not rely on a projection, which may lag. */
export const deploymentPlace = resource('deployment_place', {
  owner: 'tasks',
  singular: 'deployment',
  operations: {
    now: operation({
      summary: 'Cluster and namespace in which a deployment lies now, with its kind and status; null if it was deleted',
      allow: ourServices,
      callers: ['cluster-sync'],
      body: z.strictObject({ deployment_id: Id }),
      response: z.strictObject({ deployment: DeploymentPlace.nullable() }),
      idempotent: true,
    }),
    report_lost: operation({
      summary: 'The namespace of a running deployment is gone, or is being deleted; ignored where it is not as it was',
      allow: ourServices,
      callers: ['cluster-sync'],
      // The answer of `now` before the namespace was read; the report is ignored if the deployment has changed since.
      body: DeploymentPlace.pick({ id: true, cluster_id: true, revision_id: true }).extend({
        namespace: Text.max(253),
        reason: Reason,
      }),
      response: z.strictObject({ recorded: z.boolean() }),
      idempotent: true,
    }),
  },
});
