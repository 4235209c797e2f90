import { releaseLabels } from '@berth/contracts/fields/kubernetes-names';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import type { ObjectMetadata, Secret } from '../cluster/kube-objects.ts';
import { manifestInPayload, statusInPayload, withStatus } from './release-payload.ts';
import { transient } from '../outcome/task-failure.ts';

const revisionOf = ({ labels }: ObjectMetadata): number => Number(labels?.['version'] ?? 0);

export type ReleaseReader = Pick<ClusterClient, 'releaseRevisions' | 'readSecret'>;

/** Only the newest revision is read whole, since each may hold a megabyte. Null also if it was removed between the two reads. */
async function newestRevision(cluster: ReleaseReader, release: string): Promise<Secret | null> {
  const revisions = await cluster.releaseRevisions(release, release);
  const newest = revisions.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  return newest ? cluster.readSecret(release, newest.name) : null;
}

/** The newest revision of a Helm release. `unreadable`: the payload is not what Helm writes. */
export type Observed =
  | { status: 'absent' }
  | { status: 'unreadable' }
  | { status: string; taskId: string | null; fence: number | null };

export interface ReadRelease {
  observed: Observed;
  /** The Secret of the revision, with the version that was read; null if there is none. */
  secret: Secret | null;
}

/**
 * The manifest that Helm compares with: of the newest revision that was deployed, or else of the newest. Null: there is no release,
 * or none that can be read.
 */
export async function releasedManifest(cluster: ReleaseReader, release: string): Promise<string | null> {
  const revisions = (await cluster.releaseRevisions(release, release)).toSorted(
    (a, b) => revisionOf(b) - revisionOf(a),
  );
  const current = revisions.find(({ labels }) => labels?.['status'] === 'deployed') ?? revisions[0];
  const secret = current && (await cluster.readSecret(release, current.name));
  return manifestInPayload(secret?.data?.['release'] ?? '');
}

/** The state that Helm has recorded. A release is named after its namespace. */
export async function readRelease(cluster: ReleaseReader, release: string): Promise<ReadRelease> {
  const secret = await newestRevision(cluster, release);
  if (!secret) return { observed: { status: 'absent' }, secret };
  const status = await statusInPayload(secret.data?.['release'] ?? '');
  if (status === null) return { observed: { status: 'unreadable' }, secret };
  const labels = secret.metadata.labels ?? {};
  const taskId = labels[releaseLabels.task] ?? null;
  const fence = labels[releaseLabels.fence] ? Number(labels[releaseLabels.fence]) : null;
  return { observed: { status, taskId, fence }, secret };
}

export const observeRelease = async (cluster: ReleaseReader, release: string): Promise<Observed> =>
  (await readRelease(cluster, release)).observed;

/**
 * Sets a release that a dead run left halfway to `failed`, in label and payload at once, so that Helm can continue from it. Writes
 * nothing if it was changed since it was read.
 */
export async function unlockRelease(
  cluster: Pick<ClusterClient, 'replaceSecret'>,
  release: string,
  secret: Secret,
): Promise<void> {
  const description = 'Set to failed: the run that worked on it ended without a result';
  const changed: Secret = {
    ...secret,
    metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, status: 'failed' } },
    data: { ...secret.data, release: await withStatus(secret.data?.['release'] ?? '', 'failed', description) },
  };
  // The resource version that was read makes this a compare-and-swap.
  if (!(await cluster.replaceSecret(release, changed)))
    throw transient(`The Helm release ${release} was changed by others at the same time`);
}
