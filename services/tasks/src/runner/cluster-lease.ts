import type { ClaimedTask } from '@berth/shared/contracts/runner-tasks';
import { type V1Lease, V1MicroTime } from '@kubernetes/client-node';
import type { ClusterClient } from './cluster-client.ts';
import { transient } from './task-failure.ts';

const leaseName = 'berth-task';

type Claim = Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace'>;

export const holderOf = ({ task_id, fence }: Claim): string => `${task_id}:${fence}`;

/** True when the lease is held for a later claim of the same task: ours is over, whatever we believed. */
export function isOvertaken(holder: string | undefined, { task_id, fence }: Claim): boolean {
  const [heldTask, heldFence] = (holder ?? '').split(':');
  return heldTask === task_id && Number(heldFence) > fence;
}

const overtaken = () => transient('Another runner has taken this task over');

/**
 * Fences at the cluster itself: a Lease in the deployment's namespace names the claim that may act there. It is taken by
 * compare-and-swap before Helm starts, so that a runner which slept through the loss of its claim finds out in time.
 */
export async function takeClusterLease(claim: Claim, cluster: ClusterClient): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const existing = await cluster.readLease(claim.namespace, leaseName);
    if (isOvertaken(existing?.spec?.holderIdentity, claim)) throw overtaken();
    const lease = leaseFor(claim, existing);
    if (existing ? await cluster.replaceLease(lease) : await cluster.createLease(lease)) return;
  }
  throw transient('The lease in the namespace of the deployment keeps changing hands');
}

/** Before every write of our own to the release. */
export async function checkClusterLease(claim: Claim, cluster: ClusterClient): Promise<void> {
  const lease = await cluster.readLease(claim.namespace, leaseName);
  if (lease?.spec?.holderIdentity !== holderOf(claim)) throw overtaken();
}

const leaseFor = (claim: Claim, existing: V1Lease | null): V1Lease => ({
  metadata: { ...existing?.metadata, name: leaseName, namespace: claim.namespace },
  spec: { holderIdentity: holderOf(claim), leaseDurationSeconds: 30, acquireTime: new V1MicroTime() },
});
