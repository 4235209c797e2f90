import type { ClaimedTask } from '@berth/shared/contracts/runner-tasks';
import type { V1Secret } from '@kubernetes/client-node';
import type { ClusterClient } from './cluster-client.ts';
import { permanent, transient } from './task-failure.ts';

const managedBy = { 'app.kubernetes.io/managed-by': 'berth' };

type Target = Pick<ClaimedTask, 'namespace' | 'secrets'>;

/** Writes the Secrets that the chart's inputs ask for, before Helm needs them. One of somebody else is never overwritten. */
export async function applySecrets({ namespace, secrets }: Target, cluster: ClusterClient): Promise<void> {
  for (const [name, entries] of Object.entries(secrets)) {
    const wanted: V1Secret = { metadata: { name, namespace, labels: managedBy }, type: 'Opaque', stringData: entries };
    if (!(await cluster.createSecret(wanted))) await replace(wanted, cluster);
  }
}

async function replace(wanted: V1Secret, cluster: ClusterClient): Promise<void> {
  const { name = '', namespace = '' } = wanted.metadata ?? {};
  const existing = await cluster.readSecret(namespace, name);
  if (existing && existing.metadata?.labels?.['app.kubernetes.io/managed-by'] !== 'berth') {
    throw permanent(`The Secret ${name} exists already in ${namespace} and was not made by Berth`);
  }
  const resourceVersion = existing?.metadata?.resourceVersion;
  const metadata = { ...wanted.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
  if (!(await cluster.replaceSecret({ ...wanted, metadata }))) {
    throw transient(`The Secret ${name} in ${namespace} was changed by somebody else`);
  }
}
