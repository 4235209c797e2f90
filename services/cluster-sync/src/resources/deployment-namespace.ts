import { Id } from '@berth/shared/contracts/fields';
import { z } from 'zod';

export const ourNamespaces = 'app.kubernetes.io/managed-by=berth';
const deploymentIdAnnotation = 'berth.dev/deployment-id';

const Namespace = z.object({
  metadata: z.object({
    name: z.string().min(1),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});

export interface DeploymentNamespace {
  readonly namespace: string;
  /** Null where the annotation is missing or no UUID: then nothing in it is tracked. */
  readonly deploymentId: string | null;
}

export function deploymentNamespace(object: unknown): DeploymentNamespace {
  const { name, annotations } = Namespace.parse(object).metadata;
  const { data = null } = Id.safeParse(annotations?.[deploymentIdAnnotation]);
  return { namespace: name, deploymentId: data };
}
