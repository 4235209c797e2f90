import { causeOf } from '@berth/kube/causes/cause-of';
import type { DeploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import { foundNamespace } from '../namespaces/found-namespace.ts';
import { type NamespaceRecord, ownerOf } from '../namespaces/namespace-record.ts';
import type { LostNamespace } from './lost-namespace-repository.ts';

/** What to do about a lost namespace. `wait`: check it again later; `read`: read it from the cluster. */
export type Verdict = 'forget' | 'wait' | 'read' | { readonly report: string };

/** The verdict by the state of the deployment, before the cluster is read. */
export function verdictByPlace(lost: LostNamespace, place: DeploymentPlace | null): 'forget' | 'wait' | 'read' {
  if (place?.cluster_id !== lost.cluster_id || place.namespace !== lost.namespace) return 'forget';
  switch (place.status) {
    case 'Running':
      return 'read';
    case 'Installing':
    case 'Upgrading':
    case 'Renaming':
      // The task may still recreate the namespace. If it ends without doing so, the namespace is lost.
      return 'wait';
    default:
      return 'forget';
  }
}

/** A namespace usually disappears within seconds of its deletion. */
export const usualHeldMs = 60_000;

/** The verdict for a running deployment, by its current namespace in the cluster; null if that does not exist. */
export function verdictByNamespace(
  lost: LostNamespace,
  { namespace, record }: { namespace: unknown; record: NamespaceRecord | null },
  heldMs = usualHeldMs,
): Exclude<Verdict, 'read'> {
  const name = lost.namespace;
  if (namespace === null)
    return { report: `The namespace ${name} was deleted from the cluster while the deployment ran` };
  if (ownerOf(record, foundNamespace(namespace)) !== lost.deployment_id)
    return { report: `The namespace ${name} was deleted from the cluster and made anew by somebody else` };
  const deletion = causeOf('Namespace', namespace);
  if (!deletion) return 'forget';
  return lost.age_ms < heldMs ? 'wait' : { report: `The namespace ${name} is ${deletion.message}` };
}
