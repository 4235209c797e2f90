import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConnectProxy, startConnectProxy } from '@berth/testing/network/connect-proxy';
import { startNode } from '@berth/testing/node-process';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type HttpsDeployment, startHttpsDeployment } from './support/https-deployment.ts';

const program = fileURLToPath(new URL('support/outgoing-main.ts', import.meta.url));
/** In the certificate of the server, and in no DNS. */
const host = 'kubernetes.default.svc';
const password = 'p%40ss-of-the-proxy';
const clients = ['call', 'cluster', 'fetch'];

const servers = new AsyncDisposableStack();
let server: HttpsDeployment;
let proxy: ConnectProxy;
let bundle: string;
beforeAll(async () => {
  server = servers.use(await startHttpsDeployment());
  proxy = servers.use(await startConnectProxy());
  const folder = await mkdtemp(join(tmpdir(), 'berth-outgoing-'));
  servers.defer(() => rm(folder, { recursive: true, force: true }));
  bundle = join(folder, 'ca.crt');
  await writeFile(bundle, server.ca);
});
afterAll(() => servers[Symbol.asyncDispose]());
beforeEach(() => {
  server.calls.length = 0;
  proxy.tunnels.length = 0;
});

const through = (port: number) => ({
  NODE_EXTRA_CA_CERTS: bundle,
  NODE_USE_ENV_PROXY: '1',
  HTTPS_PROXY: `http://berth:${password}@127.0.0.1:${port}`,
});

/** What a client of a process with this environment gets from the server, and what the process prints. */
async function answerTo(client: string, environment: Record<string, string>, name = host): Promise<string> {
  await using child = startNode([program, client, `https://${name}:${server.port}/`], environment);
  await child.untilReady(client, () => child.output().includes('answer:'));
  return child
    .output()
    .replace(/^[^]*answer: /, '')
    .trim();
}

test.for(clients)('%s: trusts the bundle, and goes through the proxy with its credential', async (client) => {
  expect(await answerTo(client, through(proxy.port))).toBe('{}');

  const credential = `Basic ${Buffer.from(`berth:${decodeURIComponent(password)}`).toString('base64')}`;
  expect(proxy.tunnels).toEqual([{ target: `${host}:${server.port}`, credential }]);
  expect(server.calls).toHaveLength(1);
});

test.for(clients)('%s: trusts no authority that is not in the bundle', async (client) => {
  const { NODE_EXTRA_CA_CERTS: _, ...untrusting } = through(proxy.port);

  expect(await answerTo(client, untrusting)).toMatch(/^failed: /);

  expect(proxy.tunnels).toHaveLength(1);
  expect(server.calls).toEqual([]);
});

test.for(clients)('%s: goes to a host of NO_PROXY directly', async (client) => {
  const names = { ALLOWED: '127.0.0.1', NAMES: 'localhost=127.0.0.1', NO_PROXY: '.svc,localhost' };

  expect(await answerTo(client, { ...through(proxy.port), ...names }, 'localhost')).toBe('{}');

  expect(proxy.tunnels).toEqual([]);
});

test.for(clients)('%s: heeds no proxy without the switch of Node', async (client) => {
  const { NODE_USE_ENV_PROXY: _, ...direct } = through(proxy.port);
  const names = { ALLOWED: '127.0.0.1', NAMES: 'localhost=127.0.0.1' };

  expect(await answerTo(client, { ...direct, ...names }, 'localhost')).toBe('{}');

  expect(proxy.tunnels).toEqual([]);
});

test('a call asks the proxy for no name that resolves to a refused address', async () => {
  const answer = await answerTo('call', { ...through(proxy.port), NAMES: `${host}=169.254.169.254` });

  expect(answer).toBe(`failed: ${host}: ${host} resolves to an address that is not allowed`);
  expect(proxy.tunnels).toEqual([]);
});

test('a call asks the proxy for no refused address', async () => {
  const answer = await answerTo('call', through(proxy.port), '127.0.0.1');

  expect(answer).toContain('the address 127.0.0.1 is not allowed');
  expect(proxy.tunnels).toEqual([]);
});

test.for([
  ['call', `failed: the proxy opened no tunnel to ${host} (407)`],
  ['cluster', 'failed: ProxyRefused: the proxy answered 407'],
  ['fetch', 'failed: TypeError: fetch failed'],
] as const)('%s: says that the proxy refuses, without its password', async ([client, words]) => {
  await using refusing = await startConnectProxy('407 Proxy Authentication Required');

  expect(await answerTo(client, through(refusing.port))).toBe(words);
});

test('a call ends at its deadline while the proxy does not answer', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const answer = await answerTo('call', { ...through(port), CALL_MS: '1000' });

  silent.close();
  expect(answer).toBe(`failed: ${host} did not answer completely within 1 s`);
});
