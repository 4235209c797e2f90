import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id } from '../../fields/fields.ts';
import { K8sResource } from './k8s-resources.ts';

/** The cluster and object behind a tracked resource. */
export const TrackedObject = K8sResource.pick({
  id: true,
  cluster_id: true,
  deployment_id: true,
  kind: true,
  name: true,
})
  // Identifies the object: another object of the same name has another uid.
  .extend({ uid: z.string() });
export type TrackedObject = z.infer<typeof TrackedObject>;

/** Read from the owner: an action on the object must not rely on the caller's data. */
export const k8sResourceState = resource('k8s_resource_state', {
  owner: 'cluster-sync',
  singular: 'tracked resource',
  operations: {
    now: operation({
      summary: 'The object that a tracked resource is, and its deployment; null if it is tracked no more',
      allow: ourServices,
      callers: ['tasks'],
      body: z.strictObject({ resource_id: Id }),
      response: z.strictObject({ resource: TrackedObject.nullable() }),
      idempotent: true,
    }),
  },
});
