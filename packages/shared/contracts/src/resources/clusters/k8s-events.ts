import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { pageOf, wholeNumber } from '../../definition/paging.ts';
import { Id, Text, Timestamp } from '../../fields/fields.ts';

/** A Kubernetes event about an object in a deployment's namespace, read live from the cluster. */
export const K8sEvent = z.strictObject({
  /** The uid of the event in its cluster. */
  uid: z.string(),
  /** `Normal` or `Warning`. */
  type: z.string(),
  reason: z.string(),
  /** On one line. */
  message: z.string(),
  count: z.number().int(),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  /** `resource_id` is the id that the object has or had as a tracked resource; null if its kind is not tracked. */
  object: z.strictObject({ kind: z.string(), name: z.string(), resource_id: Id.nullable() }),
  /** The component of Kubernetes that reported it. */
  source: z.string(),
});
export type K8sEvent = z.infer<typeof K8sEvent>;

/** `incomplete`: not all events were read, and the newest may be missing. */
export const K8sEventPage = pageOf(K8sEvent).extend({ incomplete: z.boolean() });
export type K8sEventPage = z.infer<typeof K8sEventPage>;

export const K8sEventQuery = z.strictObject({
  page: wholeNumber(1, 1_000_000).optional().meta({ description: 'from 1' }),
  per_page: wholeNumber(1, 100).optional().meta({ description: '50 unless given' }),
});
export type K8sEventQuery = z.output<typeof K8sEventQuery>;

export const k8sEvents = resource('k8s_events', {
  owner: 'cluster-sync',
  singular: 'Kubernetes event',
  operations: {
    list: operation({
      summary: 'The Kubernetes events of the namespace of a deployment, newest first',
      allow: ourServices,
      // It checks whether the user may read the deployment.
      callers: ['tasks'],
      body: z.strictObject({ cluster_id: Id, deployment_id: Id, namespace: Text.max(253), query: K8sEventQuery }),
      response: K8sEventPage,
      idempotent: true,
    }),
  },
});
