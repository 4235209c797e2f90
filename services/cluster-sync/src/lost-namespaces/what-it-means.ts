import { causeOf } from '@berth/kube/causes/cause-of';
import type { DeploymentPlace } from '@berth/shared/contracts/resources/deployment-place';
import { deploymentNamespace } from '../resources/objects/deployment-namespace.ts';
import type { LostNamespace } from './lost-namespace-repository.ts';

/** `wait`: it will be looked at again. */
export type Meaning = 'forget' | 'wait' | 'look' | { readonly report: string };

/** What a lost namespace means by what its deployment does, before the cluster is read. */
export function meaningFor(lost: LostNamespace, place: DeploymentPlace | null): 'forget' | 'wait' | 'look' {
  if (place?.cluster_id !== lost.cluster_id || place.namespace !== lost.namespace) return 'forget';
  switch (place.status) {
    case 'Running':
      return 'look';
    case 'Installing':
    case 'Upgrading':
    case 'Renaming':
      // A task will make the namespace again, or it may have been its last act: then the deployment runs in nothing.
      return 'wait';
    default:
      return 'forget';
  }
}

/** A namespace usually goes within seconds of its deletion. */
export const usualHeldMs = 60_000;

/** What is to be done for a deployment that runs, by its namespace as the cluster has it now; null where there is none. */
export function meaningOf(lost: LostNamespace, namespace: unknown, heldMs = usualHeldMs): Exclude<Meaning, 'look'> {
  const name = lost.namespace;
  if (namespace === null)
    return { report: `The namespace ${name} was deleted from the cluster while the deployment ran` };
  if (deploymentNamespace(namespace).deploymentId !== lost.deployment_id)
    return { report: `The namespace ${name} is no longer marked as that of this deployment` };
  const deletion = causeOf('Namespace', namespace);
  if (!deletion) return 'forget';
  return lost.age_ms < heldMs ? 'wait' : { report: `The namespace ${name} is ${deletion.message}` };
}
