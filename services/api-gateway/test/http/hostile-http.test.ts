import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { problemOf, rawProblemOf } from '../support/problem-of.ts';
import { startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve('auth', testAuth());
});
afterAll(() => gateway[Symbol.asyncDispose]());

// After each test the gateway must still answer.
afterEach(async () => {
  const { status } = await gateway.get('/api/v2/server');
  if (status !== 200) throw new Error(`the request after it was answered ${status}`);
});

const head = (...lines: string[]) => `${['POST /api/v2/envs HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`;
const close = 'connection: close';
const many = Array.from({ length: 200 }, (_, n) => `x-header-${n}: ${n}`);

test.for([
  ['a request that is not HTTP', 'hello\r\n\r\n', 400, 'invalid'],
  ['an unknown method', 'STEAL / HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'invalid'],
  ['no Host header', head(close), 400, 'invalid'],
  ['a Content-Length that is not a number', head('host: x', 'content-length: ten'), 400, 'invalid'],
  ['two Content-Lengths', head('host: x', 'content-length: 1', 'content-length: 2'), 400, 'invalid'],
  ['Content-Length and chunks', head('host: x', 'content-length: 5', 'transfer-encoding: chunked'), 400, 'invalid'],
  ['a header without a colon', head('host: x', 'nonsense'), 400, 'invalid'],
  ['a header with a control character', head('host: x', 'x: \u0001'), 400, 'invalid'],
  ['headers of more than 16 KiB', head('host: x', `x: ${'x'.repeat(17_000)}`), 431, 'too_large'],
  ['200 headers', head('host: x', close, ...many), 431, 'too_large'],
  [
    'a path that cannot be decoded',
    'GET /api/v2/envs/%ff HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    400,
    'invalid',
  ],
  ['a method override', head('host: x', close, 'x-http-method-override: DELETE'), 401, 'unauthenticated'],
  [
    'a malformed chunk',
    `${head('host: x', 'x-service-token: siteAdmin', 'content-type: application/json', 'transfer-encoding: chunked')}zz\r\n`,
    400,
    'invalid',
  ],
] as const)('%s is answered with a problem', async ([, request, status, code]) => {
  expect(rawProblemOf(await gateway.raw(request))).toMatchObject({ status, code });
});

test('a request that asks for another protocol is answered, and its connection is closed instead of leaving the next one unanswered', async () => {
  const asks = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\n\r\n';
  const received = await gateway.raw(`${asks}GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`);

  expect(received).toMatch(/^HTTP\/1\.1 200 /);
  expect(received).toMatch(/connection: close/i);
});

test('an unknown Expect header is ignored', async () => {
  const answer = await gateway.raw(
    'GET /api/v2/nothing HTTP/1.1\r\nhost: x\r\nexpect: wonders\r\nconnection: close\r\n\r\n',
  );
  expect(rawProblemOf(answer)).toMatchObject({ status: 404 });
});

test('a connection is closed after its thousandth request, even if the client ignores the announcement', async () => {
  const socket = connect(gateway.port, '127.0.0.1');
  const closed = once(socket, 'close');
  const statuses: string[] = [];
  for (let sent = 0; sent < 1_000; sent += 1) {
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    const [part]: Buffer[] = await once(socket, 'data');
    statuses.push(String(part).slice(0, 12));
    const isLast = sent === 999;
    expect(/^connection: close\r$/im.test(String(part))).toBe(isLast);
  }
  expect(new Set(statuses)).toStrictEqual(new Set(['HTTP/1.1 200']));
  await closed;
});

test('requests pipelined behind the thousandth one of a connection are not run', async () => {
  const one = 'GET /api/v2/docs/show.js HTTP/1.1\r\nhost: x\r\n\r\n';
  const answers = await gateway.raw(one.repeat(1_010));
  expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toStrictEqual(Array(1_000).fill('HTTP/1.1 200'));
  expect(gateway.logged().filter(({ route }) => route === '/api/v2/docs/show.js').length).toBe(1_000);
});

test('a request whose headers do not arrive within 10 s is refused', async () => {
  const started = performance.now();
  const answer = await gateway.raw('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ');
  expect(rawProblemOf(answer)).toMatchObject({ status: 408, code: 'timeout' });
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('a client that disconnects in the middle of its body leaves no request in flight', async () => {
  const controller = new AbortController();
  const body = new ReadableStream({
    async pull(stream) {
      stream.enqueue(new TextEncoder().encode('{"name":'));
      await sleep(50);
      controller.abort();
    },
  });
  const headers = { 'content-type': 'application/json', 'x-service-token': 'siteAdmin' };
  const options = { method: 'POST', body, headers, signal: controller.signal, duplex: 'half' } as const;
  await expect(fetch(`${gateway.url}/api/v2/envs`, options)).rejects.toThrow('aborted');

  await expect
    .poll(async () => (await gateway.metrics.getSingleMetricAsString('berth_http_in_flight')).split('\n').at(-1))
    .toBe('berth_http_in_flight 0');
});

test('a hostile body of 1 MiB is refused', async () => {
  const escapes = `{"name":"${'\\n'.repeat(500_000)}"}`;
  const keys = `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join(',')}}`;
  const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
  const quotes = `{"name":"${'\\"'.repeat(500_000)}","name":1}`;
  for (const body of [escapes, keys, deep, quotes]) {
    const response = await gateway.send('POST', '/api/v2/envs', body);
    expect(await problemOf(response)).toMatchObject({ status: 400 });
  }
});

test.for([
  ['fields', 'body', `{${Array.from({ length: 60 }, (_, n) => `"${n}${'k'.repeat(15_000)}":1`).join(',')}}`],
  ['levels', 'body', `{"name":${`{"${'k'.repeat(15_000)}":`.repeat(60)}"\\ud800"${'}'.repeat(61)}`],
] as const)('the refusal of %s with names of 15 KB is short', async ([, path, body]) => {
  const response = await gateway.send('POST', '/api/v2/envs', body);
  const text = await response.clone().text();
  expect(await problemOf(response)).toMatchObject({ status: 400, detail: expect.stringMatching(`^${path}`) });
  expect(text.length).toBeLessThan(50_000);
});

test('a query with thousands of unknown parameters is refused, naming the first fifty', async () => {
  const query = Array.from({ length: 2_000 }, (_, n) => `a${n}`).join('&');
  for (const path of [`/api/v2/envs?${query}`, `/api/v2/server?${query}`]) {
    expect((await problemOf(await gateway.get(path))).errors).toHaveLength(50);
  }
});
