import { expect, test } from 'vitest';
import type { ClusterClient } from './cluster-client.ts';
import { isOvertaken, takeClusterLease } from './cluster-lease.ts';
import type { Lease } from './kube-objects.ts';

const claim = { task_id: 'ours', fence: 3, namespace: 'n' };
const heldBy = (holderIdentity: string): Lease => ({ metadata: { name: 'berth-task' }, spec: { holderIdentity } });

/** A lease as Kubernetes keeps it: created once, replaced by who has seen the latest one. */
function cluster(held: Lease | null) {
  const written: (string | null | undefined)[] = [];
  const write = async (_: string, lease: Lease) => {
    written.push(lease.spec?.holderIdentity);
    return true;
  };
  const client: Pick<ClusterClient, 'readLease' | 'createLease' | 'replaceLease'> = {
    readLease: async () => held,
    createLease: async (namespace, lease) => (held === null ? write(namespace, lease) : false),
    replaceLease: write,
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
] as const)('a lease held by %s: overtaken is %3$s', ([, holder, expected]) => {
  expect(isOvertaken(holder, claim)).toBe(expected);
});

test('a lease of a later claim is left alone', async () => {
  const { client, written } = cluster(heldBy('ours:4'));
  const taking = takeClusterLease(claim, { cluster: client, lease: confirmed, found: heldBy('ours:4') });

  await expect(taking).rejects.toThrow('taken this task over');
  expect(written).toEqual([]);
});

test('the lease of another task is taken only by who still has a claim, for the other task may be the one after ours', async () => {
  const { client, written } = cluster(heldBy('theirs:1'));

  await expect(takeClusterLease(claim, { cluster: client, lease: refused, found: heldBy('theirs:1') })).rejects.toThrow(
    'lost',
  );
  expect(written).toEqual([]);

  await takeClusterLease(claim, { cluster: client, lease: confirmed, found: heldBy('theirs:1') });
  expect(written).toEqual(['ours:3']);
});

test('a lease that somebody made meanwhile is read again', async () => {
  const { client, written } = cluster(heldBy('ours:2'));

  await takeClusterLease(claim, { cluster: client, lease: confirmed, found: null });

  expect(written).toEqual(['ours:3']);
});
