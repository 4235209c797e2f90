import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { expect, test } from 'vitest';
import type { Namespace } from '../cluster/kube-objects.ts';
import { isTakenOver, takeFence } from './namespace-fence.ts';

const claim = { task_id: 'this', fence: 3, namespace: 'n', deployment_id: 'd' };
const heldBy = (holder: string): Namespace => ({
  metadata: {
    name: 'n',
    annotations: { [namespaceAnnotations.deploymentId]: 'd', [namespaceAnnotations.claim]: holder },
  },
});

/** A namespace that, as in Kubernetes, accepts only writes with the latest resource version. */
function cluster(held: Namespace | null) {
  const written: (string | undefined)[] = [];
  const client = {
    readNamespace: async () => held,
    annotateNamespace: async (read: Namespace, annotations: Record<string, string>) => {
      if (read !== held) return false;
      written.push(annotations[namespaceAnnotations.claim]);
      return true;
    },
  };
  return { client, written };
}

const confirmed = { confirm: async () => {} };
const refused = { confirm: () => Promise.reject(new Error('lost')) };

test.for([
  ['a later claim of the same task', 'this:4', true],
  ['this very claim', 'this:3', false],
  ['an earlier claim', 'this:2', false],
  ['another task', 'other:9', false],
  ['nobody', '', false],
] as const)('a namespace held by %s: taken over is %3$s', ([, holder, expected]) => {
  expect(isTakenOver(holder, claim)).toBe(expected);
});

test('the fence of a namespace is not taken from a later claim of the same task', async () => {
  const found = heldBy('this:4');
  const { client, written } = cluster(found);

  const taking = takeFence(claim, { cluster: client, lease: confirmed, found });

  await expect(taking).rejects.toThrow('taken over this task');
  expect(written).toEqual([]);
});

test('the fence of a namespace is not written again by the claim that holds it', async () => {
  const found = heldBy('this:3');
  const { client, written } = cluster(found);

  await takeFence(claim, { cluster: client, lease: refused, found });

  expect(written).toEqual([]);
});

test('the fence is taken from another task only while the claim is confirmed, for that task may be the next one', async () => {
  const found = heldBy('other:1');
  const { client, written } = cluster(found);

  await expect(takeFence(claim, { cluster: client, lease: refused, found })).rejects.toThrow('lost');
  expect(written).toEqual([]);

  await takeFence(claim, { cluster: client, lease: confirmed, found });
  expect(written).toEqual(['this:3']);
});

test('taking the fence reads a namespace again that was changed in between', async () => {
  const { client, written } = cluster(heldBy('this:2'));

  await takeFence(claim, { cluster: client, lease: confirmed, found: heldBy('this:1') });

  expect(written).toEqual(['this:3']);
});

test('the fence is not taken from a later claim that took it in between', async () => {
  const { client, written } = cluster(heldBy('this:4'));

  const taking = takeFence(claim, { cluster: client, lease: confirmed, found: heldBy('this:2') });

  await expect(taking).rejects.toThrow('taken over this task');
  expect(written).toEqual([]);
});

test.for([
  ['is gone', null],
  ['is terminating', { ...heldBy('this:2'), status: { phase: 'Terminating' } }],
  ['belongs to another deployment now', { metadata: { name: 'n' } }],
])('taking the fence of a namespace that %s in between is a transient failure', async ([, held]) => {
  const { client, written } = cluster(held as Namespace | null);

  const taking = takeFence(claim, { cluster: client, lease: confirmed, found: heldBy('this:2') });

  await expect(taking).rejects.toMatchObject({ kind: 'transient' });
  expect(written).toEqual([]);
});
