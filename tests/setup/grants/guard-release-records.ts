import { waitUntil } from '@berth/client';
import { applyRbac } from '@berth/devstack/testing/apply-rbac';
import { managedLabels } from '@berth/contracts/fields/kubernetes-names';
import type { KubernetesObject, KubernetesObjectApi } from '@kubernetes/client-node';

const namespace = 'guarded';
const record = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `sh.helm.release.v1.${namespace}.v1`, namespace },
};

/** The step of an operator before grants for a whole cluster. The API server applies a policy only a moment after its creation. */
export async function guardReleaseRecords(objects: KubernetesObjectApi): Promise<void> {
  await applyRbac(
    { postJson: (_path: string, body: KubernetesObject) => objects.create(body) },
    'release-records-policy',
  );
  await objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: managedLabels } });
  const isRefused = () =>
    objects.create(record, undefined, 'All').then(
      () => null,
      (error: unknown) => /only the Helm of a deployment/.exec(String(error)),
    );
  await waitUntil(isRefused, { what: 'the policy to hold', withinMs: 30_000 });
  await objects.delete({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
}
