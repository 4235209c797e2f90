import { expect, test } from 'vitest';
import { checkObjects, type NamedObject } from './check-objects.ts';

const named = (name: string): NamedObject => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: null, name });
const isReady = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
const conditions = [{ type: 'Available', status: 'True' }];
const notYet = { replicas: 1, updatedReplicas: 1 };
const stalled = { conditions: [{ type: 'Stalled', status: 'True', message: 'no way' }] };
const unobserved = { ...notYet, observedGeneration: 1 };

/** Deployments by name, with their status. */
function clusterOf(status: Record<string, object>) {
  const read: string[] = [];
  return {
    read,
    status,
    findKind: async () => null,
    readObject: async (path: string) => {
      const name = path.split('/').at(-1) ?? '';
      read.push(name);
      return status[name] ? { metadata: { name, generation: 2 }, spec: {}, status: status[name] } : null;
    },
  };
}
const none = new Map<string, string>();

test('a check stops at the first object that is awaited, begins there the next time, and ends with all of them', async () => {
  const cluster = clusterOf({ a: { ...isReady, conditions }, b: notYet, c: { ...isReady, conditions } });
  const check = checkObjects([named('a'), named('b'), named('c')], 'web');

  expect(await check(cluster, none)).toEqual({ is: 'waiting', says: 'Deployment b: 0 of 1 pods available' });
  expect(await check(cluster, none)).toMatchObject({ is: 'waiting' });
  cluster.status['b'] = { ...isReady, conditions };
  expect(await check(cluster, none)).toEqual({ is: 'ready' });

  expect(cluster.read).toEqual(['a', 'b', 'b', 'b', 'a', 'c']);
});

test('an object that has failed is not waited for, and the others are', async () => {
  const cluster = clusterOf({ a: stalled, b: notYet });
  const check = checkObjects([named('a'), named('b')], 'web');

  expect(await check(cluster, none)).toMatchObject({ is: 'waiting', says: expect.stringContaining('Deployment b') });
  cluster.status['b'] = { ...isReady, conditions };
  expect(await check(cluster, none)).toEqual({ is: 'failed', says: 'Deployment a: no way' });
});

test('a controller whose pods crash has failed, unless these may be the pods that it replaces', async () => {
  const crashing = new Map([['Deployment a', '1 pod keeps crashing']]);

  expect(await checkObjects([named('a')], 'web')(clusterOf({ a: notYet }), crashing)).toEqual({
    is: 'failed',
    says: 'Deployment a: 1 pod keeps crashing',
  });
  expect(await checkObjects([named('a')], 'web')(clusterOf({ a: unobserved }), crashing)).toMatchObject({
    is: 'waiting',
  });
});

test('an object that is gone, or of a kind that is not known, is awaited', async () => {
  const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', namespace: null, name: 'a' };

  for (const object of [named('a'), gadget]) {
    expect(await checkObjects([object], 'web')(clusterOf({}), none)).toMatchObject({ is: 'waiting' });
  }
});
