import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
import type { ClaimLease } from '../claim/claim-lease.ts';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { isGoing, isOurs } from './deployment-namespace.ts';
import type { Namespace } from '../cluster/kube-objects.ts';
import { transient } from '../outcome/task-failure.ts';

/** Names the claim that may act in the namespace, as `<task>:<fence>`. */
export const fenceAnnotation = 'berth.dev/claim';

type Claim = Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace' | 'deployment_id'>;

export const holderOf = ({ task_id, fence }: Pick<Claim, 'task_id' | 'fence'>): string => `${task_id}:${fence}`;

const holderIn = (namespace: Namespace): string => namespace.metadata.annotations?.[fenceAnnotation] ?? '';

/** True when the namespace is held for a later claim of the same task: ours is over, whatever we believed. */
export function isOvertaken(holder: string, { task_id, fence }: Pick<Claim, 'task_id' | 'fence'>): boolean {
  const [heldTask, heldFence] = holder.split(':');
  return heldTask === task_id && Number(heldFence) > fence;
}

const overtaken = () => transient('Another runner has taken this task over');

interface TakeFenceDeps {
  cluster: Pick<ClusterClient, 'readNamespace' | 'annotateNamespace'>;
  lease: Pick<ClaimLease, 'confirm'>;
  /** The deployment's own namespace as it was read before. */
  found: Namespace;
}

/**
 * Fences at the cluster itself: the deployment's namespace names the claim that may act in it. It is taken by
 * compare-and-swap before Helm starts, so that a runner which slept through the loss of its claim finds out in time.
 * Who makes the namespace holds it from its first moment.
 */
export async function takeFence(claim: Claim, { cluster, lease, found }: TakeFenceDeps): Promise<void> {
  const wanted = holderOf(claim);
  let namespace = found;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const holder = holderIn(namespace);
    if (holder === wanted) return;
    if (isOvertaken(holder, claim)) throw overtaken();
    // Held for another task: over, or the one after ours while we slept. Asked after the read, so that whoever takes the
    // namespace later than this answer makes the swap below fail.
    await lease.confirm();
    if (await cluster.annotateNamespace(namespace, { [fenceAnnotation]: wanted })) return;

    const again = await cluster.readNamespace(claim.namespace);
    if (!again || isGoing(again) || !isOurs(again, claim.deployment_id)) {
      throw transient(`The namespace ${claim.namespace} was deleted while the task began`);
    }
    namespace = again;
  }
  throw transient(`The namespace ${claim.namespace} keeps changing under the task`);
}

/** Immediately before Helm starts, and before every write of our own to the release. */
export async function checkFence(claim: Claim, cluster: Pick<ClusterClient, 'readNamespace'>): Promise<void> {
  const namespace = await cluster.readNamespace(claim.namespace);
  if (!namespace || holderIn(namespace) !== holderOf(claim)) throw overtaken();
}
