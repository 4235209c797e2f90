import { expect, test } from 'vitest';
import { readLive } from './read-live.ts';

const mapNamed = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name, content: {} });
const findKind = async () => ({ path: '/api/v1', plural: 'configmaps', namespaced: true });

/** An API server whose objects have this many more members than usual. */
function apiWith(members: number) {
  let read = 0;
  const getBytes = async (path: string) => {
    read += 1;
    const name = path.split('/').at(-1) ?? '';
    return Buffer.from(JSON.stringify({ ...mapNamed(name), metadata: { name }, x: Array(members).fill(0) }));
  };
  return { readSoFar: () => read, api: { server: 'https://cluster', getJson: async () => ({}), getBytes } };
}

const signal = new AbortController().signal;
const objects = Array.from({ length: 200 }, (_, index) => mapNamed(`map-${index}`));

test('live objects with too many members together are not kept: they would take a gigabyte', async () => {
  const { api, readSoFar } = apiWith(90_000);

  await expect(readLive(objects, findKind, { api, signal })).rejects.toThrow('too large to be compared');
  expect(readSoFar()).toBeLessThan(20);
});

test('live objects of a usual size are kept', async () => {
  const live = await readLive(objects, findKind, { api: apiWith(500).api, signal });

  expect(live.size).toBe(200);
});
