import { managedBy, managedLabels } from '@berth/contracts/fields/kubernetes-names';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { allEnded } from '../waiting/all-ended.ts';
import type { ClusterClient, NewSecret } from '../cluster/cluster-client.ts';
import type { Secret } from '../cluster/kube-objects.ts';
import { checkFence } from './namespace-fence.ts';
import { permanent, transient } from '../outcome/task-failure.ts';

const batchSize = 8;

type Target = Pick<ClaimedTask, 'namespace' | 'secrets'>;
type Claim = Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace'>;
export type FoundSecrets = ReadonlyMap<string, Secret | null>;

/** The current state of the Secrets that the task writes, read while the namespace is prepared. */
export async function readSecrets({ namespace, secrets }: Target, cluster: ClusterClient): Promise<FoundSecrets> {
  const found = new Map<string, Secret | null>();
  await inBatches(Object.keys(secrets), async (name) => {
    found.set(name, await cluster.readSecret(namespace, name));
  });
  return found;
}

/** Writes the Secrets that the chart's inputs require, before Helm needs them. Never overwrites one that Berth did not create. */
export async function applySecrets(
  task: Target & Claim,
  { cluster, found }: { cluster: ClusterClient; found: FoundSecrets },
): Promise<void> {
  const { namespace, secrets } = task;
  await inBatches(Object.entries(secrets), ([name, entries]) => {
    const metadata = { name, namespace, labels: managedLabels };
    const wanted = { metadata, type: 'Opaque', stringData: entries };
    return apply(wanted, { cluster, claim: task, found: found.get(name) ?? null });
  });
}

interface Applying {
  cluster: ClusterClient;
  claim: Claim;
  found: Secret | null;
}

async function apply(wanted: NewSecret, { cluster, claim, found }: Applying): Promise<void> {
  const { name, namespace } = wanted.metadata;
  let existing = found;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (existing === null ? await cluster.createSecret(wanted) : await replace(existing, wanted, cluster)) return;
    existing = await cluster.readSecret(namespace, name);
    // If this machine has slept, the Secret may already be that of a later claim.
    await checkFence(claim, cluster);
  }
  throw transient(`The Secret ${name} in ${namespace} was changed by others at the same time`);
}

async function replace(existing: Secret, wanted: NewSecret, cluster: ClusterClient): Promise<boolean> {
  const { name, namespace } = wanted.metadata;
  if (existing.metadata.labels?.[managedBy.label] !== managedBy.value) {
    throw permanent(`The Secret ${name} exists already in ${namespace} and was not created by Berth`);
  }
  if (contains(existing, wanted.stringData)) return true;
  const { resourceVersion } = existing.metadata;
  const metadata = { ...wanted.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
  return cluster.replaceSecret(namespace, { ...wanted, metadata });
}

function contains({ data = {} }: Secret, entries: Record<string, string>): boolean {
  const names = Object.keys(entries);
  return (
    names.length === Object.keys(data).length &&
    names.every((name) => data[name] === Buffer.from(entries[name] ?? '').toString('base64'))
  );
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let first = 0; first < items.length; first += batchSize) {
    await allEnded(items.slice(first, first + batchSize).map(work));
  }
}
