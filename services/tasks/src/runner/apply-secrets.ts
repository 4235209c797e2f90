import type { ClaimedTask } from '@berth/shared/contracts/runner-tasks';
import type { ClusterClient, NewSecret } from './cluster-client.ts';
import { permanent, transient } from './task-failure.ts';

const managedBy = { 'app.kubernetes.io/managed-by': 'berth' };
const atOnce = 8;

type Target = Pick<ClaimedTask, 'namespace' | 'secrets'>;

/** Writes the Secrets that the chart's inputs ask for, before Helm needs them. One of somebody else is never overwritten. */
export async function applySecrets({ namespace, secrets }: Target, cluster: ClusterClient): Promise<void> {
  const wanted = Object.entries(secrets).map(
    ([name, entries]): NewSecret => ({
      metadata: { name, namespace, labels: managedBy },
      type: 'Opaque',
      stringData: entries,
    }),
  );
  for (let first = 0; first < wanted.length; first += atOnce) {
    await Promise.all(wanted.slice(first, first + atOnce).map((secret) => apply(secret, cluster)));
  }
}

async function apply(wanted: NewSecret, cluster: ClusterClient): Promise<void> {
  if (await cluster.createSecret(wanted)) return;
  const { name, namespace } = wanted.metadata;
  const changed = () => transient(`The Secret ${name} in ${namespace} was changed by somebody else`);

  const existing = await cluster.readSecret(namespace, name);
  if (existing === null) throw changed();
  if (existing.metadata.labels?.['app.kubernetes.io/managed-by'] !== 'berth') {
    throw permanent(`The Secret ${name} exists already in ${namespace} and was not made by Berth`);
  }
  const { resourceVersion } = existing.metadata;
  const metadata = { ...wanted.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
  if (!(await cluster.replaceSecret(namespace, { ...wanted, metadata }))) throw changed();
}
