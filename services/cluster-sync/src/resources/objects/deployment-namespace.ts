import { Id } from '@berth/contracts/fields/fields';
import { managedBy, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { z } from 'zod';

const Namespace = z.object({
  metadata: z.object({
    name: z.string().min(1),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});

export interface DeploymentNamespace {
  readonly namespace: string;
  /** Null if the namespace does not belong to a deployment: its objects are not tracked. */
  readonly deploymentId: string | null;
  /** The namespace has our label, but its annotation is missing or not a UUID. */
  readonly isAnonymous: boolean;
}

export function deploymentNamespace(object: unknown): DeploymentNamespace {
  const { name: namespace, labels, annotations } = Namespace.parse(object).metadata;
  if (labels?.[managedBy.label] !== managedBy.value) return { namespace, deploymentId: null, isAnonymous: false };
  const { data: deploymentId = null } = Id.safeParse(annotations?.[namespaceAnnotations.deploymentId]);
  return { namespace, deploymentId, isAnonymous: deploymentId === null };
}
