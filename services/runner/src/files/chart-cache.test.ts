import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@berth/bus/bus';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
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

const claim = { task_id: '22222222-2222-4222-8222-222222222222', fence: 7 };

/** A fake registry-scan with one chart for the claim, in parts of a thousand characters. */
function storeWith(content = '') {
  const fetched: unknown[] = [];
  let stored = content;
  const call: Bus['call'] = async (_, request) => {
    const { body } = z.object({ body: z.object({ part: z.number() }) }).parse(request);
    fetched.push(request);
    const data = Buffer.from(stored.slice(body.part * 1_000, (body.part + 1) * 1_000)).toString('base64');
    return JSON.parse(
      JSON.stringify({ digest: chartOf(stored).digest, parts: Math.ceil(stored.length / 1_000), data }),
    );
  };
  return { fetched, bus: { call }, push: (next: string) => void (stored = next) };
}

test('a chart that was replaced in the registry is a permanent failure', async () => {
  const { bus } = storeWith('another one');
  const cache = await openChartCache({ folder, bus });

  await expect(cache.path(chartOf('chart'), claim)).rejects.toMatchObject({ kind: 'permanent' });
});

test('a chart is assembled from its parts, each requested with the claim of the task', async () => {
  const long = 'chart'.repeat(700);
  const { bus, fetched } = storeWith(long);
  const cache = await openChartCache({ folder, bus });

  const path = await cache.path(chartOf(long), claim);

  expect(await readFile(path, 'utf8')).toBe(long);
  expect(fetched).toEqual([0, 1, 2, 3].map((part) => ({ body: { ...claim, part } })));
});

test('tasks that need the same chart together fetch it once', async () => {
  const { bus, fetched } = storeWith('chart');
  const cache = await openChartCache({ folder, bus });

  const paths = await Promise.all([cache.path(chartOf('chart'), claim), cache.path(chartOf('chart'), claim)]);

  expect(new Set(paths).size).toBe(1);
  expect(fetched).toHaveLength(1);
});

test('a damaged file of the chart cache is fetched again', async () => {
  const { bus, fetched } = storeWith('chart');
  const cache = await openChartCache({ folder, bus });
  const path = await cache.path(chartOf('chart'), claim);

  await writeFile(path, 'damaged');

  expect(await readFile(await cache.path(chartOf('chart'), claim), 'utf8')).toBe('chart');
  expect(fetched).toHaveLength(2);
});

test('the chart cache stays below its size and keeps the most recently used charts', async () => {
  const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(1_000));
  const { bus, push } = storeWith();
  const cache = await openChartCache({ folder, bus, maxBytes: 2_500 });

  for (const content of contents) {
    push(content);
    await cache.path(chartOf(content), claim);
  }

  const left = await readdir(folder);
  expect(left).toHaveLength(2);
  expect(left).toContain(`${chartOf(contents[3] ?? '').digest.slice(7)}.tgz`);
});

test('opening the chart cache removes unfinished writes', async () => {
  await writeFile(join(folder, 'half.tgz.1234'), 'half');

  await openChartCache({ folder, bus: storeWith().bus });

  expect(await readdir(folder)).toEqual([]);
});

test('a chart that cannot be written to disk is a transient failure', async () => {
  const { bus } = storeWith('chart');
  const cache = await openChartCache({ folder, bus });
  await rm(folder, { recursive: true });

  await expect(cache.path(chartOf('chart'), claim)).rejects.toMatchObject({ kind: 'transient' });
});
