import { once } from 'node:events';
import { createServer as createProxy, type Server } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { describeFailure } from '@berth/kube/describe-failure';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { portOf } from '@berth/testing/network/port-of';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClusterDirectory } from '../src/discovery/cluster-directory.ts';
import type { ChangingToken } from '../src/providers/cluster-provider.ts';
import { type FakeApiServer, failWith, sendHeaders, startFakeApiServer } from '@berth/devstack/testing/fake-api-server';

let server: FakeApiServer;
let api: KubeApi;
let stopping: AbortController;

async function start(protocol?: 'http/1.1'): Promise<void> {
  server = await startFakeApiServer(protocol && { protocol });
  api = openKubeApi(server.access);
}
beforeEach(() => {
  stopping = new AbortController();
});
afterEach(async () => {
  stopping.abort();
  api[Symbol.dispose]();
  await server?.[Symbol.asyncDispose]();
});

const get = (path: string, deadlineMs = 10_000) => api.getText(path, { signal: stopping.signal, deadlineMs });
const watch = () => api.streamLines('/api/v1/pods?watch=1', { signal: stopping.signal, deadlineMs: 10_000 });

/** Opens watches, each of which has received its first line. */
async function openWatches(count: number): Promise<void> {
  const watches = Array.from({ length: count }, watch);
  const lines = watches.map((each) => each.next());
  await vi.waitUntil(() => server.requests.length >= count);
  server.write('{}\n');
  await Promise.all(lines);
}

describe('the connections to an API server', () => {
  test('a dozen watches and other requests share one', async () => {
    await start();

    await openWatches(12);
    await get('/api/v1/pods');

    expect(server.connections()).toBe(1);
  });

  test('a server that speaks only HTTP/1.1 gets one connection for each watch, and the first one is used too', async () => {
    await start('http/1.1');

    await openWatches(3);
    await get('/api/v1/pods');

    expect(server.connections()).toBeLessThanOrEqual(4);
    expect(server.requests).toHaveLength(4);
  });

  test('watches that nobody reads do not delay other requests', async () => {
    await start();
    await openWatches(12);
    for (let n = 0; n < 8; n += 1) server.write(`${'x'.repeat(64 * 1024)}\n`);

    expect(await get('/api/v1/pods')).toContain('resourceVersion');
  });

  test('after a request without an answer the next one uses a new connection, and open watches continue', async () => {
    await start();
    const open = watch();
    const first = open.next();
    await vi.waitUntil(() => server.requests.length === 1);
    server.write('{"n":1}\n');
    await first;
    server.misbehave = () => true;
    await expect(get('/readyz', 50)).rejects.toMatchObject({ name: 'TimeoutError' });
    server.misbehave = null;

    await get('/api/v1/pods');
    expect(server.connections()).toBe(2);
    const next = open.next();
    server.write('{"n":2}\n');
    expect(await next).toMatchObject({ value: '{"n":2}' });
  });

  test('a cut connection fails its requests and is replaced', async () => {
    await start();
    server.misbehave = (_, response) => {
      sendHeaders(response);
      return true;
    };
    const cut = get('/api/v1/pods');
    await vi.waitUntil(() => server.requests.length === 1);
    server.cut();
    await expect(cut).rejects.toMatchObject({ code: 'ECONNRESET' });

    server.misbehave = null;
    expect(await get('/api/v1/pods')).toContain('resourceVersion');
  });
});

test('a request ends at its deadline even if its token never arrives', async () => {
  await start();
  using waiting = openKubeApi(server.access, { token: () => new Promise(() => undefined) });

  const call = waiting.getText('/readyz', { signal: stopping.signal, deadlineMs: 50 });

  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(server.requests).toEqual([]);
});

test('a token that the server refuses is reported to its source, and the next request uses another one', async () => {
  await start();
  server.misbehave = (request, response) => request.token !== 'second' && failWith(401)(request, response);
  let current = 'first';
  const token: ChangingToken = {
    source: 'test',
    current: async () => ({ token: current, expiresAt: new Date(Date.now() + 3_600_000).toISOString() }),
    refused: (refused) => {
      if (refused === current) current = 'second';
    },
  };
  using directory = createClusterDirectory();
  const access = { ...server.access, token: null };
  const found = { provider_id: 'test:a', name: 'a', region_name: 'here', refused: null, access, token };
  directory.replace('test:', { clusters: [found], unread: [] });
  const list = async () =>
    directory.connectionTo('test:a')?.api.getJson('/api/v1/pods', { signal: stopping.signal, deadlineMs: 10_000 });

  await expect(list()).rejects.toMatchObject({ status: 401 });
  expect(await list()).toMatchObject({ items: [] });
});

test('requests to a server that never answers end at their deadline and use few connections', async () => {
  const accepted = new Set<Socket>();
  const hole = createServer((socket) => void accepted.add(socket.on('error', () => undefined)));
  hole.listen(0, '127.0.0.1');
  await once(hole, 'listening');
  const port = portOf(hole);
  await start();
  using dark = openKubeApi({ ...server.access, server: `https://127.0.0.1:${port}` });

  const calls = Array.from({ length: 12 }, () =>
    dark.getText('/readyz', { signal: stopping.signal, deadlineMs: 100 }).catch((error: unknown) => error),
  );

  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ name: 'TimeoutError' });
  await expect.poll(() => accepted.size).toBe(1);
  for (const socket of accepted) socket.destroy();
  hole.close();
});

describe('a cluster behind a proxy', () => {
  let proxy: Server;
  /** The CONNECT requests: target and credential. */
  let requested: (string | undefined)[][];
  let answer: string;

  beforeEach(async () => {
    await start();
    requested = [];
    answer = 'HTTP/1.1 200 Connection established\r\n\r\n';
    proxy = createProxy().on('connect', (request, socket) => {
      requested.push([request.url, request.headers['proxy-authorization']]);
      socket.write(answer);
      if (!answer.includes(' 200 ')) return socket.end();
      const way = connect(server.port, '127.0.0.1');
      way.on('error', () => socket.destroy());
      socket.on('error', () => way.destroy());
      return socket.pipe(way).pipe(socket);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  afterEach(() => {
    proxy.close();
    proxy.closeAllConnections();
  });

  const through = (credential = '') => {
    const port = portOf(proxy);
    return openKubeApi({ ...server.access, proxyUrl: `http://${credential}127.0.0.1:${port}` });
  };
  const readyz = (by: KubeApi) => by.getText('/api/v1/pods', { signal: stopping.signal, deadlineMs: 10_000 });

  test('is reached through it, with its credential', async () => {
    using proxied = through('me:p%40ss@');

    expect(await readyz(proxied)).toContain('resourceVersion');

    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(requested).toEqual([[`127.0.0.1:${server.port}`, basic]]);
  });

  test('names the proxy that refuses', async () => {
    answer = 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n';
    using proxied = through();

    const error: unknown = await readyz(proxied).catch((thrown: unknown) => thrown);

    const host = new URL(server.access.server).host;
    expect(describeFailure(error, server.access.server)).toBe(
      `the proxy in front of ${host} opened no tunnel to it (407)`,
    );
  });

  test('is not reached directly when the proxy does not answer', async () => {
    using proxied = through();
    proxy.close();
    proxy.closeAllConnections();

    await expect(readyz(proxied)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(server.requests).toEqual([]);
  });
});
