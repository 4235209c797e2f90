import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openChartCache } from './chart-cache.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-charts-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const chartOf = (content: string) => ({
  helm_chart_id: '11111111-1111-4111-8111-111111111111',
  digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  version: '1.0.0',
});

function storeWith(...contents: string[]) {
  const fetched: string[] = [];
  const byDigest = new Map(contents.map((content) => [chartOf(content).digest, Buffer.from(content)]));
  const objects = {
    get: async (digest: string) => {
      fetched.push(digest);
      return byDigest.get(digest) ?? null;
    },
    put: () => Promise.reject(new Error('not used')),
  };
  /** What the registry has by now. */
  let inRegistry = '';
  const call = async () => JSON.parse(JSON.stringify({ digest: chartOf(inRegistry).digest }));
  return { fetched, bus: { objects, call }, push: (content: string) => void (inRegistry = content) };
}

test('a chart that the registry replaced fails for good, one that is only missing may come back', async () => {
  const { bus, push } = storeWith();
  const cache = await openChartCache({ folder, bus });

  push('another one');
  await expect(cache.path(chartOf('chart'))).rejects.toMatchObject({ kind: 'permanent' });
  push('chart');
  await expect(cache.path(chartOf('chart'))).rejects.toMatchObject({ kind: 'unreachable' });
});

test('tasks that need the same chart at once fetch it once', async () => {
  const { bus, fetched } = storeWith('chart');
  const cache = await openChartCache({ folder, bus });

  const paths = await Promise.all([cache.path(chartOf('chart')), cache.path(chartOf('chart'))]);

  expect(new Set(paths).size).toBe(1);
  expect(fetched).toHaveLength(1);
});

test('a damaged file is fetched again', async () => {
  const { bus, fetched } = storeWith('chart');
  const cache = await openChartCache({ folder, bus });
  const path = await cache.path(chartOf('chart'));

  await writeFile(path, 'something else');

  expect(await readFile(await cache.path(chartOf('chart')), 'utf8')).toBe('chart');
  expect(fetched).toHaveLength(2);
});

test('the cache stays below its size and keeps what was used last', async () => {
  const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(1_000));
  const { bus } = storeWith(...contents);
  const cache = await openChartCache({ folder, bus, maxBytes: 2_500 });

  for (const content of contents) await cache.path(chartOf(content));

  const left = await readdir(folder);
  expect(left).toHaveLength(2);
  expect(left).toContain(`${chartOf(contents[3] ?? '').digest.slice(7)}.tgz`);
});

test('what was not written to its end is gone after a start', async () => {
  await writeFile(join(folder, 'half.tgz.1234'), 'half');

  await openChartCache({ folder, bus: storeWith().bus });

  expect(await readdir(folder)).toEqual([]);
});

test('a disk that takes nothing is a passing failure and leaves nothing behind', async () => {
  const { bus } = storeWith('chart');
  const cache = await openChartCache({ folder, bus });
  await rm(folder, { recursive: true });

  await expect(cache.path(chartOf('chart'))).rejects.toMatchObject({ kind: 'transient' });
});
