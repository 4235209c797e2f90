import { expect, test } from 'vitest';
import { deploymentIdAnnotation } from './deployment-namespace.ts';
import type { Namespace } from '../cluster/kube-objects.ts';
import { fenceAnnotation, isOvertaken, takeFence } from './namespace-fence.ts';

const claim = { task_id: 'ours', fence: 3, namespace: 'n', deployment_id: 'd' };
const heldBy = (holder: string): Namespace => ({
  metadata: { name: 'n', annotations: { [deploymentIdAnnotation]: 'd', [fenceAnnotation]: holder } },
});

/** A namespace as Kubernetes keeps it: changed only by who has seen the latest one. */
function cluster(held: Namespace | null) {
  const written: (string | undefined)[] = [];
  const client = {
    readNamespace: async () => held,
    annotateNamespace: async (seen: Namespace, annotations: Record<string, string>) => {
      if (seen !== held) return false;
      written.push(annotations[fenceAnnotation]);
      return true;
    },
  };
  return { client, written };
}

const confirmed = { confirm: async () => {} };
const refused = { confirm: () => Promise.reject(new Error('lost')) };

test.for([
  ['a later claim of the same task', 'ours:4', true],
  ['this very claim', 'ours:3', false],
  ['an earlier claim', 'ours:2', false],
  ['another task', 'theirs:9', false],
  ['nobody', '', false],
] as const)('a namespace held by %s: overtaken is %3$s', ([, holder, expected]) => {
  expect(isOvertaken(holder, claim)).toBe(expected);
});

test('a namespace of a later claim is left alone', async () => {
  const found = heldBy('ours:4');
  const { client, written } = cluster(found);

  const taking = takeFence(claim, { cluster: client, lease: confirmed, found });

  await expect(taking).rejects.toThrow('taken this task over');
  expect(written).toEqual([]);
});

test('a namespace of this very claim is not written again', async () => {
  const found = heldBy('ours:3');
  const { client, written } = cluster(found);

  await takeFence(claim, { cluster: client, lease: refused, found });

  expect(written).toEqual([]);
});

test('the namespace of another task is taken only by who still has a claim, for the other task may be the one after ours', async () => {
  const found = heldBy('theirs:1');
  const { client, written } = cluster(found);

  await expect(takeFence(claim, { cluster: client, lease: refused, found })).rejects.toThrow('lost');
  expect(written).toEqual([]);

  await takeFence(claim, { cluster: client, lease: confirmed, found });
  expect(written).toEqual(['ours:3']);
});

test('a namespace that somebody changed meanwhile is read again', async () => {
  const { client, written } = cluster(heldBy('ours:2'));

  await takeFence(claim, { cluster: client, lease: confirmed, found: heldBy('ours:1') });

  expect(written).toEqual(['ours:3']);
});

test('a namespace that a later claim took meanwhile is left alone', async () => {
  const { client, written } = cluster(heldBy('ours:4'));

  const taking = takeFence(claim, { cluster: client, lease: confirmed, found: heldBy('ours:2') });

  await expect(taking).rejects.toThrow('taken this task over');
  expect(written).toEqual([]);
});

test.for([
  ['is gone', null],
  ['is going', { ...heldBy('ours:2'), status: { phase: 'Terminating' } }],
  ['belongs to another deployment by now', { metadata: { name: 'n' } }],
])('a namespace that %s is tried again later', async ([, held]) => {
  const { client, written } = cluster(held as Namespace | null);

  const taking = takeFence(claim, { cluster: client, lease: confirmed, found: heldBy('ours:2') });

  await expect(taking).rejects.toMatchObject({ kind: 'transient' });
  expect(written).toEqual([]);
});
