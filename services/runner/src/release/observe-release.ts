import { releaseLabels } from '@berth/contracts/fields/kubernetes-names';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import type { ObjectMetadata, Secret } from '../cluster/kube-objects.ts';
import { manifestInPayload, recordInPayload, withStatus } from './release-payload.ts';
import { permanent, transient } from '../outcome/task-failure.ts';
import { revisionsOf } from './release-revisions.ts';

export type ReleaseReader = Pick<ClusterClient, 'releaseRevisions' | 'readSecret'>;

/** The newest revision of a Helm release. `unreadable`: some records were not written by Helm; `reason` names them and the remedy. */
export type Observed =
  | { status: 'absent' }
  | { status: 'unreadable'; reason: string }
  | {
      status: string;
      taskId: string | null;
      fence: number | null;
      /** When Helm changed the record last, by `Date.now()`: its end, once it has ended. */
      changedAt?: number;
    };

export interface ReadRelease {
  observed: Observed;
  /** The Secret of the revision as it was read; null if there is none. */
  secret: Secret | null;
}

/** Limited, since each is read whole to find out whether Helm would take it for the newest revision. */
const mostOthers = 5;

/** The state that Helm has recorded. A release is named after its namespace. */
export async function readRelease(cluster: ReleaseReader, release: string): Promise<ReadRelease> {
  const found = await cluster.releaseRevisions(release, release);
  if (found === null) return unreadable(tooManyRecords(release));
  const { own, others } = revisionsOf(release, found);
  const [newest] = own;
  const forged = await newerOf(cluster, release, { others, than: newest?.version ?? 0 });
  if (forged.length > 0) return unreadable(forgedRecords(release, forged));

  // Only the newest revision is read whole, since each may hold a megabyte. It may have been removed since the list was read.
  const secret = newest ? await cluster.readSecret(release, newest.metadata.name) : null;
  if (!newest || !secret) return { observed: { status: 'absent' }, secret: null };
  const record = await recordInPayload(payloadOf(secret));
  if (record?.version !== newest.version) return unreadable(brokenRecord(release, newest.metadata.name), secret);
  const labels = secret.metadata.labels ?? {};
  const taskId = labels[releaseLabels.task] ?? null;
  const fence = labels[releaseLabels.fence] ? Number(labels[releaseLabels.fence]) : null;
  const changedAt = Number(labels['modifiedAt'] ?? labels['createdAt']) * 1_000;
  const times = Number.isFinite(changedAt) ? { changedAt } : {};
  return { observed: { status: record.status, taskId, fence, ...times }, secret };
}

export const observeRelease = async (cluster: ReleaseReader, release: string): Promise<Observed> =>
  (await readRelease(cluster, release)).observed;

/**
 * The manifest that Helm compares with: that of the newest deployed revision, or else of the newest one; null without a release.
 */
export async function releasedManifest(cluster: ReleaseReader, release: string): Promise<string | null> {
  const found = await cluster.releaseRevisions(release, release);
  if (found === null) throw permanent(tooManyRecords(release));
  const { own } = revisionsOf(release, found);
  const current = own.find(({ metadata: { labels } }) => labels?.['status'] === 'deployed') ?? own[0];
  const secret = current && (await cluster.readSecret(release, current.metadata.name));
  if (!secret) return null;
  const manifest = await manifestInPayload(payloadOf(secret));
  if (manifest === null) throw permanent(brokenRecord(release, secret.metadata.name));
  return manifest;
}

/**
 * Sets a release that a dead run left halfway to `failed`, in label and payload at once, so that Helm can continue from it. Fails
 * if the release was changed since it was read.
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
    data: { ...secret.data, release: await withStatus(payloadOf(secret), 'failed', description) },
  };
  // The resource version that was read makes this a compare-and-swap.
  if (!(await cluster.replaceSecret(release, changed)))
    throw transient(`The Helm release ${release} was changed by others at the same time`);
}

/** Forged records that Helm would continue from, since it takes the highest version of all payloads. If there are too many: all. */
async function newerOf(
  cluster: ReleaseReader,
  release: string,
  { others, than }: { others: readonly ObjectMetadata[]; than: number },
): Promise<readonly ObjectMetadata[]> {
  if (others.length > mostOthers) return others;
  const newer: ObjectMetadata[] = [];
  for (const metadata of others) {
    const secret = await cluster.readSecret(release, metadata.name);
    const record = secret && (await recordInPayload(payloadOf(secret)));
    if (record && record.version > than) newer.push(metadata);
  }
  return newer;
}

const payloadOf = ({ data }: Secret): string => data?.['release'] ?? '';

const unreadable = (reason: string, secret: Secret | null = null): ReadRelease => ({
  observed: { status: 'unreadable', reason },
  secret,
});

const brokenRecord = (release: string, secret: string): string =>
  `The Helm release ${release} cannot be read and was left unchanged: the Secret ${secret} in its namespace is not what Helm wrote. ` +
  'Restore or delete it';

function forgedRecords(release: string, forged: readonly ObjectMetadata[]): string {
  const names = forged.slice(0, mostOthers).map(({ name }) => name);
  const more = forged.length > mostOthers ? ` and ${forged.length - mostOthers} more` : '';
  return (
    `Helm would take Secrets in the namespace for records of the release ${release} that it did not write for Berth. ` +
    `Delete these: ${names.join(', ')}${more}`
  );
}

const tooManyRecords = (release: string): string =>
  `The namespace has too many Secrets with the labels owner=helm and name=${release}. Delete those that Helm did not write`;
