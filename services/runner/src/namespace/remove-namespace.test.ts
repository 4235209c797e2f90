import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { expect, test } from 'vitest';
import type { Namespace } from '../cluster/kube-objects.ts';
import { removeNamespace } from './remove-namespace.ts';

const claim = { task_id: 'this', fence: 3, namespace: 'n', deployment_id: 'd' };
const heldBy = (holder: string, resourceVersion = '1'): Namespace => ({
  metadata: {
    name: 'n',
    uid: 'u',
    resourceVersion,
    annotations: { [namespaceAnnotations.deploymentId]: 'd', [namespaceAnnotations.claim]: holder },
  },
});

/** A namespace as Kubernetes keeps it; `meanwhile` changes it after the first read. */
function cluster(found: Namespace, meanwhile: Namespace = found) {
  let now: Namespace | null = found;
  const deleted: string[] = [];
  return {
    deleted,
    readNamespace: async () => {
      const read = now;
      if (now === found) now = meanwhile;
      return read;
    },
    deleteNamespace: async ({ metadata }: Namespace) => {
      if (now?.metadata.resourceVersion !== metadata.resourceVersion) return false;
      deleted.push(metadata.name);
      now = null;
      return true;
    },
  };
}

const { signal } = new AbortController();

test('the namespace that names this claim is deleted', async () => {
  const there = cluster(heldBy('this:3'));

  await removeNamespace(claim, { cluster: there, signal, says: () => undefined });

  expect(there.deleted).toEqual(['n']);
});

test.for([
  ['before it was read', cluster(heldBy('this:4'))],
  ['by another task before it was read', cluster(heldBy('next:1'))],
  ['after it was read', cluster(heldBy('this:3'), heldBy('next:1', '2'))],
] as const)('a namespace that another claim has taken %s is left unchanged', async ([, there]) => {
  await expect(removeNamespace(claim, { cluster: there, signal, says: () => undefined })).rejects.toThrow(
    'Another runner has taken over',
  );

  expect(there.deleted).toEqual([]);
});
