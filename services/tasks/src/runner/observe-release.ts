import type { V1Secret } from '@kubernetes/client-node';
import type { ClusterClient } from './cluster-client.ts';
import type { Observed } from './next-action.ts';
import { statusInPayload, withStatus } from './release-payload.ts';
import { permanent, transient } from './task-failure.ts';

/** Labels that every release of ours carries: which claim made it. */
export const taskLabel = 'berth-task-id';
export const fenceLabel = 'berth-fence';

const revisionOf = (secret: V1Secret): number => Number(secret.metadata?.labels?.['version'] ?? 0);

const newest = (secrets: V1Secret[]): V1Secret | undefined =>
  secrets.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];

async function newestRevision(cluster: ClusterClient, release: string): Promise<V1Secret | undefined> {
  return newest(await cluster.releaseSecrets(release, release));
}

/** What Helm has recorded. The release is named like its namespace. */
export async function observeRelease(cluster: ClusterClient, release: string): Promise<Observed> {
  const secret = await newestRevision(cluster, release);
  if (!secret) return { status: 'absent' };
  const status = await statusInPayload(secret.data?.['release'] ?? '');
  if (status === null) return { status: 'unreadable' };
  const labels = secret.metadata?.labels ?? {};
  return { status, taskId: labels[taskLabel] ?? null, fence: labels[fenceLabel] ? Number(labels[fenceLabel]) : null };
}

/** Sets the release that a dead run left in `pending-*` to `failed`, in label and payload at once, so that Helm goes on from it. */
export async function unlockRelease(cluster: ClusterClient, release: string): Promise<void> {
  const secret = await newestRevision(cluster, release);
  const payload = secret?.data?.['release'];
  if (!secret || payload === undefined) throw permanent(`The Helm release ${release} vanished while it was repaired`);

  const description = 'Set to failed: the run that held it ended without a result';
  const changed: V1Secret = {
    ...secret,
    metadata: { ...secret.metadata, labels: { ...secret.metadata?.labels, status: 'failed' } },
    data: { ...secret.data, release: await withStatus(payload, 'failed', description) },
  };
  // The resource version read above makes this a compare-and-swap.
  if (!(await cluster.replaceSecret(changed)))
    throw transient(`The Helm release ${release} was changed by somebody else`);
}
