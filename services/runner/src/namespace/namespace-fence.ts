import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { ClaimLease } from '../claim/claim-lease.ts';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import type { Namespace } from '../cluster/kube-objects.ts';
import { transient } from '../outcome/task-failure.ts';
import { belongsTo, isTerminating } from './deployment-namespace.ts';

type Claim = Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace' | 'deployment_id'>;

export const holderOf = ({ task_id, fence }: Pick<Claim, 'task_id' | 'fence'>): string => `${task_id}:${fence}`;

const holderIn = (namespace: Namespace): string => namespace.metadata.annotations?.[namespaceAnnotations.claim] ?? '';

/** True when a later claim of the same task holds the namespace: this claim is over, even if its lease seems to last. */
export function isTakenOver(holder: string, { task_id, fence }: Pick<Claim, 'task_id' | 'fence'>): boolean {
  const [heldTask, heldFence] = holder.split(':');
  return heldTask === task_id && Number(heldFence) > fence;
}

/** What a claim does about the fence that it finds. `take`: it names no claim, or that of another task. */
export function fenceStep(holder: string, claim: Pick<Claim, 'task_id' | 'fence'>): 'held' | 'taken over' | 'take' {
  if (holder === holderOf(claim)) return 'held';
  return isTakenOver(holder, claim) ? 'taken over' : 'take';
}

const takenOver = () => transient('Another runner has taken over this task');

interface TakeFenceDeps {
  cluster: Pick<ClusterClient, 'readNamespace' | 'annotateNamespace'>;
  lease: Pick<ClaimLease, 'confirm'>;
  /** The deployment's namespace, as read before. */
  found: Namespace;
}

/**
 * Fences at the cluster itself: the deployment's namespace names the claim that may act in it. A claim takes it by
 * compare-and-swap before Helm starts, so that a runner that slept through the loss of its claim learns of it in time.
 * A created namespace names its claim from the start.
 */
export async function takeFence(claim: Claim, { cluster, lease, found }: TakeFenceDeps): Promise<void> {
  const wanted = holderOf(claim);
  let namespace = found;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const step = fenceStep(holderIn(namespace), claim);
    if (step === 'held') return;
    if (step === 'taken over') throw takenOver();
    // The holder is another task: an earlier one, or the next one, if this runner slept. Confirmed after the read, so that
    // a claim which takes the namespace after this confirmation makes the swap below fail.
    await lease.confirm();
    if (await cluster.annotateNamespace(namespace, { [namespaceAnnotations.claim]: wanted })) return;

    const again = await cluster.readNamespace(claim.namespace);
    if (!again || isTerminating(again) || !belongsTo(again, claim.deployment_id)) {
      throw transient(`The namespace ${claim.namespace} was deleted while the task started`);
    }
    namespace = again;
  }
  throw transient(`The namespace ${claim.namespace} was changed by others each time the task tried to take it`);
}

/** For the moment before Helm starts, and before the runner itself writes to the release. */
export async function checkFence(claim: Claim, cluster: Pick<ClusterClient, 'readNamespace'>): Promise<void> {
  const namespace = await cluster.readNamespace(claim.namespace);
  if (!namespace) throw takenOver();
  checkHeld(namespace, claim);
}

/** The same for a namespace that was just read, and that the next write names with the version that was read. */
export function checkHeld(namespace: Namespace, claim: Claim): void {
  if (fenceStep(holderIn(namespace), claim) !== 'held') throw takenOver();
}
