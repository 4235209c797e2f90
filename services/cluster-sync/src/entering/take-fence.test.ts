import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { KubeError } from '@berth/kube/kube-error';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { foundNamespace } from '../namespaces/found-namespace.ts';
import { fenceStep } from './fence-step.ts';
import { takeFence } from './take-fence.ts';

const claim = { task_id: 'this', fence: 3 };
let versions = 0;
const heldBy = (holder: string, { uid = 'u', phase = 'Active' } = {}) => ({
  metadata: {
    name: 'n',
    uid,
    resourceVersion: `${(versions += 1)}`,
    annotations: { [namespaceAnnotations.claim]: holder },
  },
  status: { phase },
});
const Patch = z.object({
  metadata: z.object({ resourceVersion: z.string(), annotations: z.record(z.string(), z.string()) }),
});

/** A namespace that, as in Kubernetes, accepts only writes with the latest resource version. */
function take(found: object, now: ReturnType<typeof heldBy> | null, confirm = async (): Promise<unknown> => undefined) {
  const written: (string | undefined)[] = [];
  const api = {
    getJson: async () => {
      if (now === null) throw new KubeError({ status: 404, body: '' });
      return now;
    },
    patchJson: async (_: string, body: object) => {
      const { metadata } = Patch.parse(body);
      if (metadata.resourceVersion !== now?.metadata.resourceVersion) throw new KubeError({ status: 409, body: '' });
      written.push(metadata.annotations[namespaceAnnotations.claim]);
      return now;
    },
  };
  const signal = new AbortController().signal;
  return {
    written,
    taken: takeFence(claim, { api, found: foundNamespace(found), labels: {}, annotations: {}, confirm, signal }),
  };
}

const lost = () => Promise.reject(new Error('lost'));

test.for([
  ['a later claim of the same task', 'taken over', 'this:4'],
  ['this very claim', 'held', 'this:3'],
  ['an earlier claim', 'take', 'this:2'],
  ['another task', 'take', 'other:9'],
  ['nobody', 'take', ''],
] as const)('the fence of a namespace held by %s: %s', ([, expected, holder]) => {
  expect(fenceStep(holder, claim)).toBe(expected);
});

test('the fence of a namespace is not taken from a later claim of the same task', async () => {
  const found = heldBy('this:4');
  const { taken, written } = take(found, found);

  await expect(taken).rejects.toThrow('taken over this task');
  expect(written).toEqual([]);
});

test('the fence of a namespace is not written again by the claim that holds it', async () => {
  const found = heldBy('this:3');
  const { taken, written } = take(found, found, lost);

  await taken;
  expect(written).toEqual([]);
});

test('the fence is taken from another task only if the claim is confirmed, since that task may be the next one', async () => {
  const found = heldBy('other:1');
  const refused = take(found, found, lost);
  await expect(refused.taken).rejects.toThrow('lost');
  expect(refused.written).toEqual([]);

  const confirmed = take(found, found);
  await confirmed.taken;
  expect(confirmed.written).toEqual(['this:3']);
});

test('a namespace that changes while its fence is taken is read again', async () => {
  const { taken, written } = take(heldBy('this:1'), heldBy('this:2'));

  await taken;
  expect(written).toEqual(['this:3']);
});

test('the fence is not taken from a later claim that has just taken it', async () => {
  const { taken, written } = take(heldBy('this:2'), heldBy('this:4'));

  await expect(taken).rejects.toThrow('taken over this task');
  expect(written).toEqual([]);
});

test.for([
  ['is gone', null],
  ['is terminating', heldBy('this:2', { phase: 'Terminating' })],
  ['was made anew', heldBy('', { uid: 'another' })],
])('a task that takes the fence of a namespace that %s meanwhile is repeated', async ([, now]) => {
  const { taken, written } = take(heldBy('this:2'), now as ReturnType<typeof heldBy> | null);

  await expect(taken).rejects.toMatchObject({ code: 'unavailable' });
  expect(written).toEqual([]);
});
