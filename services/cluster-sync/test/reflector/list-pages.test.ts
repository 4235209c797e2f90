import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { AnswerTooLarge } from '@berth/kube/kube-error';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { listPages } from '../../src/kube/list-pages.ts';
import { type FakeApiServer, startFakeApiServer } from '@berth/devstack/testing/fake-api-server';

let server: FakeApiServer;
let api: KubeApi;
/** The requested pages. */
const requested: { limit: string | null; from: string | null }[] = [];

beforeAll(async () => {
  server = await startFakeApiServer();
  api = openKubeApi(server.access, { maxAnswerBytes: 64 * 1024 });
});
afterAll(async () => {
  api[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});
beforeEach(() => {
  requested.length = 0;
  server.misbehave = ({ url }) => {
    requested.push({ limit: url.searchParams.get('limit'), from: url.searchParams.get('continue') });
    return false;
  };
});

const Named = z.object({ metadata: z.object({ name: z.string() }) });

async function namesIn(path: string, maxPages?: number): Promise<string[]> {
  const names: string[] = [];
  const options = { signal: AbortSignal.timeout(20_000), ...(maxPages !== undefined && { maxPages }) };
  for await (const { items } of listPages(api, path, options)) {
    for await (const item of items) names.push(Named.parse(item).metadata.name);
  }
  return names;
}

/** Creates a list with objects of these sizes. */
function fill(path: string, sizes: readonly number[]): string[] {
  return sizes.map((size, index) => {
    const name = `object-${index}`;
    server.put(name, { path, metadata: { annotations: { note: 'x'.repeat(size) } } });
    return name;
  });
}
const objects = (count: number, size: number): number[] => Array.from({ length: count }, () => size);

test('a page that is too large is requested again with half as many objects, and the list continues from there', async () => {
  const names = fill('/api/v1/mixed', [...objects(200, 0), ...objects(8, 20_000)]);

  expect(await namesIn('/api/v1/mixed')).toEqual(names);

  expect(requested.map(({ limit, from }) => `${limit} from ${from}`)).toEqual([
    '200 from null',
    '200 from 200',
    '100 from 200',
    '50 from 200',
    '25 from 200',
    '12 from 200',
    '6 from 200',
    '3 from 200',
    '3 from 203',
    '3 from 206',
  ]);
});

test('a single object that is too large fails the list with the reason', async () => {
  fill('/api/v1/huge', [70_000]);

  const error: unknown = await namesIn('/api/v1/huge').catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ message: 'the list of /api/v1/huge is too large even one object at a time' });
  expect(error).toHaveProperty('cause', expect.any(AnswerTooLarge));
  expect(requested.at(-1)).toEqual({ limit: '1', from: null });
});

test('an endless list is abandoned', async () => {
  server.misbehave = (_, response) => {
    requested.push({ limit: null, from: null });
    response.end(JSON.stringify({ metadata: { resourceVersion: '1', continue: 'more' }, items: [] }));
    return true;
  };

  await expect(namesIn('/api/v1/endless', 5)).rejects.toThrow('the list of /api/v1/endless has more than 5 pages');
  expect(requested).toHaveLength(5);
});

test('a list with exactly the maximum of pages is read to its end', async () => {
  const names = fill('/api/v1/long', objects(401, 0));

  expect(await namesIn('/api/v1/long', 3)).toEqual(names);
});
