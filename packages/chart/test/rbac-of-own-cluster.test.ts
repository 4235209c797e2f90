import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled, chart, type HelmInTest, manifestsOf, merged, needed, startHelm } from './support/helm-in-test.ts';

let helm: HelmInTest;
let folder: string;
beforeAll(async () => {
  helm = await startHelm();
  folder = await mkdtemp(join(tmpdir(), 'berth-rbac-'));
}, 20 * 60_000);
afterAll(async () => {
  await helm?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const everyManifest = merged(needed, bundled, {
  'cluster-sync': {
    ownCluster: { name: 'own', clusterScoped: true },
    sharedRunnerAccount: ['all'],
    clusterSecrets: { namespace: 'ship-clusters' },
  },
});

/** The chart with one manifest of files/rbac changed. */
async function changedChart(manifest: string, from: string, to: string): Promise<string> {
  const copy = await mkdtemp(join(folder, 'chart-'));
  await cp(chart, copy, { recursive: true });
  const path = join(copy, `charts/cluster-sync/files/rbac/${manifest}`);
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
  return copy;
}

test.for<[manifest: string, kind: string, name: string, from: string, to: string]>([
  ['cluster-sync.yaml', 'ClusterRoleBinding', 'ClusterRole, name: ', 'berth-cluster-sync', 'berth-sync'],
  ['cluster-sync.yaml', 'ClusterRoleBinding', 'ServiceAccount, name: ', 'berth-cluster-sync', 'berth-sync'],
  ['cluster-sync.yaml', 'ClusterRole', 'resourceNames: ["', 'berth-deployer', 'admin'],
  ['deployer.yaml', 'Namespace', 'kind: Namespace\nmetadata:\n  name: ', 'berth-deployers', 'deployers'],
  ['deployer.yaml', 'ClusterRole', 'kind: ClusterRole\nmetadata:\n  name: ', 'berth-deployer', 'deployer'],
  ['deployer.yaml', 'Role', 'berth-cluster-sync\n  namespace: ', 'berth-deployers', 'deployers'],
  ['runner.yaml', 'Role', 'resourceNames: ["', 'berth-runner', 'berth-other'],
  ['cluster-sync.yaml', 'ClusterRoleBinding', 'berth-cluster-sync, namespace: ', 'berth-system', 'berth'],
  ['runner.yaml', 'ServiceAccount', 'kind: ServiceAccount\nmetadata:\n  name: ', 'berth-runner', 'berth-other'],
  ['runner-cluster-scoped.yaml', 'ClusterRoleBinding', 'ClusterRole, name: ', 'cluster-admin', 'admin'],
  ['runner-cluster-scoped.yaml', 'ClusterRoleBinding', 'ServiceAccount, name: ', 'berth-runner', 'berth-other'],
  ['cluster-secrets.yaml', 'Role', 'berth-cluster-sync\n  namespace: ', 'berth-clusters', 'clusters'],
])('a release is refused if %s contains a %s whose name after %j was changed from %s to %s', async (row) => {
  const [manifest, kind, before, from, to] = row;
  const copy = await changedChart(manifest, before + from, before + to);

  await expect(helm.helm(['template', 'ship', copy, '-n', 'ships'], everyManifest)).rejects.toThrow(
    `files/rbac/${manifest}: templates/rbac.yaml does not map the name ${to} of a ${kind}`,
  );
});

test('a release in a namespace named like a service account of the manifests keeps its namespace', async () => {
  const args = ['template', 'ship', chart, '-n', 'berth-runner'];

  const manifests = manifestsOf(await helm.helm(args, everyManifest));

  const namespaces = new Set(manifests.map(({ metadata }) => metadata.namespace).filter((name) => name !== undefined));
  expect([...namespaces].toSorted()).toEqual(['berth-runner', 'berth-runner-ship-berth-deployers', 'ship-clusters']);
});
