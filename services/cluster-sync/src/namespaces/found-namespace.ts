import { Id } from '@berth/contracts/fields/fields';
import { managedBy, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { z } from 'zod';

const texts = z
  .record(z.string(), z.string())
  .nullish()
  .transform((all) => all ?? {});

const Namespace = z.object({
  metadata: z.object({
    name: z.string().min(1),
    uid: z.string().min(1),
    resourceVersion: z.string().default(''),
    deletionTimestamp: z.string().nullish(),
    labels: texts,
    annotations: texts,
  }),
  status: z
    .object({ phase: z.string().optional() })
    .nullish()
    .transform((status) => status ?? {}),
});

/** A namespace as the cluster shows it. Its labels and annotations prove nothing, since users of the cluster can change them. */
export interface FoundNamespace {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isTerminating: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The claim that the namespace names; empty if it names none. */
  readonly holder: string;
  readonly mark: string | null;
  /** The deployment that the namespace names; null without our label. */
  readonly namedDeployment: string | null;
}

export function foundNamespace(object: unknown): FoundNamespace {
  const { metadata, status } = Namespace.parse(object);
  const { name, uid, resourceVersion, deletionTimestamp, labels, annotations } = metadata;
  const isManaged = labels[managedBy.label] === managedBy.value;
  return {
    name,
    uid,
    resourceVersion,
    isTerminating: status.phase === 'Terminating' || (deletionTimestamp ?? null) !== null,
    labels,
    annotations,
    holder: annotations[namespaceAnnotations.claim] ?? '',
    mark: annotations[namespaceAnnotations.mark] ?? null,
    namedDeployment: isManaged ? (Id.safeParse(annotations[namespaceAnnotations.deploymentId]).data ?? null) : null,
  };
}
