import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { atMost } from '@berth/service/waiting/at-most';
import { silentLog } from '@berth/testing/test-bus';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createReflector, type Reflector } from '../../src/reflector/reflector.ts';
import { type FakeApiServer, failWith, startFakeApiServer } from '@berth/devstack/testing/fake-api-server';

let server: FakeApiServer;
let api: KubeApi;
let stopping: AbortController;
let running: Promise<void> | undefined;

beforeEach(async () => {
  server = await startFakeApiServer({ pageSize: 3 });
  api = openKubeApi(server.access);
  stopping = new AbortController();
});
afterEach(async () => {
  stopping.abort();
  await running;
  running = undefined;
  api[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

/** The names of the objects in the sink. */
const names = new Set<string>();
const Named = z.object({ metadata: z.object({ name: z.string() }) });
const nameOf = (object: unknown): string => Named.parse(object).metadata.name;
const listed = vi.fn<() => void>();
const excess = vi.fn<(reason: string | null) => void>();

function reflect(times: { stallMs?: number; resyncMs?: number } = {}): Reflector {
  names.clear();
  listed.mockClear();
  excess.mockClear();
  const reflector = createReflector({
    api,
    path: '/api/v1/pods',
    pathIn: (namespace) => `/api/v1/namespaces/${namespace}/pods`,
    sink: {
      beginPass() {
        const pass = new Set<string>();
        return {
          add: async (object) => {
            pass.add(nameOf(object));
            names.add(nameOf(object));
          },
          end: () => {
            for (const name of names) if (!pass.has(name)) names.delete(name);
          },
        };
      },
      put: async (object) => void names.add(nameOf(object)),
      remove: async (object) => void names.delete(nameOf(object)),
    },
    listInTurn: atMost(1, { awayMs: 60_000 }),
    log: silentLog,
    stallMs: 60_000,
    resyncMs: 600_000,
    onExcess: excess,
    random: () => 0,
    ...times,
  });
  running = reflector.run(stopping.signal, listed);
  return reflector;
}

const expectNames = (...expected: string[]) =>
  vi.waitFor(() => expect([...names].sort()).toEqual(expected.sort()), { interval: 10 });
const watching = () => vi.waitFor(() => expect(server.requests.at(-1)).toMatchObject({ isWatch: true }));
const lists = () => server.requests.filter(({ isWatch, path }) => !isWatch && path === '/api/v1/pods');

test('a reflector lists in pages and then watches', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) server.put(name);

  reflect();
  await expectNames('a', 'b', 'c', 'd', 'e', 'f', 'g');
  await watching();
  server.put('h');
  server.remove('a');

  await expectNames('b', 'c', 'd', 'e', 'f', 'g', 'h');
  expect(lists()).toHaveLength(3);
});

test('a reflector continues from the last event when the server ends the watch, without a new list', async () => {
  reflect();
  await watching();
  const { metadata } = server.put('a');
  await expectNames('a');

  server.endWatches();
  await vi.waitFor(() => expect(server.requests.at(-1)?.resourceVersion).toBe(metadata.resourceVersion));
  server.put('b');

  await expectNames('a', 'b');
  expect(lists()).toHaveLength(1);
});

test('a reflector misses nothing when the connection is cut in the middle of a line', async () => {
  reflect();
  await watching();
  server.put('a');
  await expectNames('a');

  server.write('{"type":"ADDED","object":{"metadata":{"na');
  server.putSilently('b');
  server.cut();

  await expectNames('a', 'b');
  expect(lists()).toHaveLength(1);
});

test('a list that is too large is reported as such, after one request', async () => {
  server.misbehave = (_, response) => {
    response.end(`{"metadata":{"resourceVersion":"1"},"x":[${'[],'.repeat(1_000_000)}0],"items":[]}`);
    return true;
  };

  reflect();
  await vi.waitFor(() => expect(excess).toHaveBeenCalled());

  expect(excess).toHaveBeenLastCalledWith(`127.0.0.1:${server.port} sent an answer that is too large`);
  expect(lists()).toHaveLength(1);
});

test('an object that is too large is left out, in lists and watches, and the others are tracked', async () => {
  server.put('a', { metadata: { annotations: { note: 'x'.repeat(4 * 1024 * 1024) } } });
  server.put('b');

  reflect();
  await expectNames('b');
  await watching();
  server.put('c', { metadata: { annotations: { note: 'x'.repeat(4 * 1024 * 1024) } } });
  server.put('d');

  await expectNames('b', 'd');
  expect(excess).not.toHaveBeenCalledWith(expect.any(String));
});

test('a malformed line does not end the watch', async () => {
  reflect();
  await watching();

  server.write('this is no JSON\n{"type":"SURPRISE"}\n\n');
  server.put('a');

  await expectNames('a');
  expect(server.requests.filter(({ isWatch }) => isWatch)).toHaveLength(1);
});

test('a bookmark advances the version from which the watch continues', async () => {
  reflect();
  await watching();
  server.put('a');
  await expectNames('a');

  server.write('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"4711"}}}\n');
  server.endWatches();

  await vi.waitFor(() => expect(server.requests.at(-1)?.resourceVersion).toBe('4711'));
});

describe('410 Gone', () => {
  test('within a watch leads to a new list, which includes missed changes', async () => {
    server.put('a');
    reflect();
    await expectNames('a');
    await watching();

    server.putSilently('b');
    server.write('{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}\n');

    await expectNames('a', 'b');
    expect(lists()).toHaveLength(2);
  });

  test('as the answer to a watch leads to a new list, at most one every five seconds', async () => {
    server.misbehave = (request, response) => request.isWatch && failWith(410)(request, response);

    // The first list may reach the server late.
    const began = performance.now();
    reflect();
    await vi.waitFor(() => expect(lists()).toHaveLength(2));

    expect((lists()[1]?.at ?? 0) - began).toBeGreaterThanOrEqual(4_900);
  });

  test('in the middle of a list restarts it and removes no object', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) server.put(name);
    let expired = 0;
    server.misbehave = (request, response) => {
      if (!request.url.searchParams.has('continue') || expired > 0) return false;
      expired += 1;
      return failWith(410)(request, response);
    };

    reflect();

    await expectNames('a', 'b', 'c', 'd', 'e');
    expect(expired).toBe(1);
  });
});

test('a silent watch is restarted from the last version', async () => {
  reflect({ stallMs: 300 });
  await watching();
  const { metadata } = server.put('a');
  await expectNames('a');

  server.putSilently('b');

  await expectNames('a', 'b');
  const { resourceVersion } = metadata;
  expect(server.requests).toContainEqual(expect.objectContaining({ isWatch: true, resourceVersion }));
  expect(lists()).toHaveLength(1);
});

test('a watch that is never answered is restarted', async () => {
  reflect({ stallMs: 300 });
  await watching();
  server.misbehave = ({ isWatch }) => isWatch && server.requests.filter((request) => request.isWatch).length < 4;
  server.putSilently('a');

  await expectNames('a');
  expect(lists()).toHaveLength(1);
});

describe('a storm of errors', () => {
  test.for([[429], [500], [503]])('%i: the watch backs off and then catches up with the server', async ([status]) => {
    server.put('a');
    reflect();
    await expectNames('a');
    await watching();

    server.misbehave = failWith(status ?? 500);
    server.putSilently('b');
    server.remove('a');
    const before = server.requests.length;
    server.cut();
    await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(before + 1));
    server.misbehave = null;

    await expectNames('b');
    const storm = server.requests.slice(before);
    const gaps = storm.slice(1).map(({ at }, index) => at - (storm[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(750);
  });

  test('a reflector waits for the Retry-After of the server', async () => {
    let refused = 0;
    server.misbehave = (request, response) =>
      refused++ === 0 && failWith(429, { 'retry-after': '3' })(request, response);
    server.put('a');

    reflect();
    await expectNames('a');

    const [first, second] = server.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2_900);
  });
});

test('a token that expires during a watch is replaced, and no change is lost', async () => {
  let accepted = 'first';
  let issued = 'first';
  server.misbehave = ({ url, isWatch, token }, response) =>
    token !== accepted && failWith(401)({ url, isWatch }, response);
  api[Symbol.dispose]();
  api = openKubeApi({ ...server.access, token: null }, { token: async () => issued });
  server.put('a');
  reflect();
  await expectNames('a');
  await watching();

  accepted = 'second';
  server.endWatches();
  server.putSilently('b');
  await vi.waitUntil(() => server.requests.length > 3);
  issued = 'second';

  await expectNames('a', 'b');
  // The watch continues from its version.
  expect(lists()).toHaveLength(1);
});

test('a resync lists again when it is due, and shortens the watch before it', async () => {
  reflect({ resyncMs: 5_500 });
  await watching();
  server.putSilently('a');
  // The fake server does not end watches by itself.
  await vi.waitFor(() => expect(listed).toHaveBeenCalledTimes(1));
  const { url } = await new Promise<{ url: URL }>((resolve) => {
    server.misbehave = (request) => {
      if (request.isWatch) resolve(request);
      return false;
    };
    server.endWatches();
  });
  expect(Number(url.searchParams.get('timeoutSeconds'))).toBeLessThanOrEqual(6);

  await new Promise((resolve) => setTimeout(resolve, 5_600));
  server.endWatches();

  await vi.waitFor(() => expect(listed).toHaveBeenCalledTimes(2));
});

test('a namespace that became tracked is listed before the watch continues', async () => {
  const reflector = reflect();
  await watching();
  server.putSilently('a');

  reflector.include('managed');

  await expectNames('a');
  await watching();
  expect(server.requests.map(({ path }) => path)).toContain('/api/v1/namespaces/managed/pods');
  server.put('b');
  await expectNames('a', 'b');
  expect(lists()).toHaveLength(1);
});

test('a reflector stops at once', async () => {
  reflect();
  await watching();

  stopping.abort();

  await expect(running).resolves.toBeUndefined();
});
