import type { ClaimedTask } from '@berth/shared/contracts/runner-tasks';
import type { ClaimLease } from './claim-lease.ts';
import type { ClusterClient } from './cluster-client.ts';
import type { Lease } from './kube-objects.ts';
import { transient } from './task-failure.ts';

const leaseName = 'berth-task';

type Claim = Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace'>;

export const holderOf = ({ task_id, fence }: Claim): string => `${task_id}:${fence}`;

/** True when the lease is held for a later claim of the same task: ours is over, whatever we believed. */
export function isOvertaken(holder: string | null | undefined, { task_id, fence }: Claim): boolean {
  const [heldTask, heldFence] = (holder ?? '').split(':');
  return heldTask === task_id && Number(heldFence) > fence;
}

type Leases = Pick<ClusterClient, 'readLease' | 'createLease' | 'replaceLease'>;

const overtaken = () => transient('Another runner has taken this task over');

export const readClusterLease = ({ namespace }: Pick<Claim, 'namespace'>, cluster: Pick<Leases, 'readLease'>) =>
  cluster.readLease(namespace, leaseName);

/**
 * Fences at the cluster itself: a Lease in the deployment's namespace names the claim that may act there. It is taken by
 * compare-and-swap before Helm starts, so that a runner which slept through the loss of its claim finds out in time.
 * `found` is what was read before.
 */
export async function takeClusterLease(
  claim: Claim,
  { cluster, lease, found }: { cluster: Leases; lease: Pick<ClaimLease, 'confirm'>; found: Lease | null },
): Promise<void> {
  let existing = found;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const holder = existing?.spec?.holderIdentity;
    if (isOvertaken(holder, claim)) throw overtaken();
    // Held for another task: over, or the one after ours while we slept. Asked after the read, so that whoever takes the
    // lease later than this answer makes the swap below fail.
    if (existing && holder !== holderOf(claim)) await lease.confirm();
    const wanted = leaseFor(claim, existing);
    const taken = existing
      ? await cluster.replaceLease(claim.namespace, wanted)
      : await cluster.createLease(claim.namespace, wanted);
    if (taken) return;
    existing = await readClusterLease(claim, cluster);
  }
  throw transient('The lease in the namespace of the deployment keeps changing hands');
}

/** Before every write of our own to the release. */
export async function checkClusterLease(claim: Claim, cluster: Pick<Leases, 'readLease'>): Promise<void> {
  const lease = await readClusterLease(claim, cluster);
  if (lease?.spec?.holderIdentity !== holderOf(claim)) throw overtaken();
}

const leaseFor = (claim: Claim, existing: Lease | null): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { ...existing?.metadata, name: leaseName, namespace: claim.namespace },
  // Times of Kubernetes have microseconds here.
  spec: {
    holderIdentity: holderOf(claim),
    leaseDurationSeconds: 30,
    acquireTime: new Date().toISOString().replace('Z', '000Z'),
  },
});
