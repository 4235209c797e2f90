import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { silentLog } from '@berth/testing/test-bus';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PushHint } from '../../src/connection/push-hint.ts';
import { type PushListener, startPushListener } from '../../src/push/push-listener.ts';

const token = 'agreed-upon-beforehand';
const hint = { host: null, repository: 'charts/web', tag: '1.0.0', digest: null };
const envelope = JSON.stringify({ events: [{ action: 'push', target: { repository: 'charts/web', tag: '1.0.0' } }] });

let hints: PushHint[];
let listener: PushListener;
let refusal: Error | null;

beforeEach(async () => {
  hints = [];
  refusal = null;
  const onHints = async (more: PushHint[]) => {
    if (refusal) throw refusal;
    hints.push(...more);
  };
  const createdTokenOf = async () => null;
  listener = await startPushListener({ host: '127.0.0.1', port: 0, token, createdTokenOf, onHints, log: silentLog });
});
afterEach(() => listener?.[Symbol.asyncDispose]());

const post = (body: string, { headers = {}, path = '/events', method = 'POST' } = {}) =>
  fetch(`http://127.0.0.1:${listener.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(method === 'POST' && { body }),
  });

test('a push event is accepted and passed on as a hint', async () => {
  const { status } = await post(envelope);

  expect(status).toBe(202);
  expect(hints).toEqual([hint]);
});

test('a push event is accepted only once its hints are kept, so that its registry sends it again after an outage', async () => {
  refusal = new Error('the database is down');
  expect((await post(envelope)).status).toBe(503);

  refusal = null;
  expect((await post(envelope)).status).toBe(202);
  expect(hints).toEqual([hint]);
});

test.for<[string, Record<string, string>]>([
  ['no token', { authorization: '' }],
  ['another token', { authorization: 'Bearer agreed-upon-beforehanD' }],
  ['a longer token', { authorization: `Bearer ${token}x` }],
  ['another scheme', { authorization: `Basic ${token}` }],
])('a push event with %s is refused unread', async ([, headers]) => {
  const { status } = await post(envelope, { headers });

  expect(status).toBe(401);
  expect(hints).toEqual([]);
});

test.for([
  ['not JSON', '{'],
  ['not an envelope', '[]'],
  ['binary', '\u0000\u0001'],
  ['an envelope of too many events', JSON.stringify({ events: Array.from({ length: 1001 }, () => 0) })],
] as const)('a push event that is %s is refused', async ([, body]) => {
  expect((await post(body)).status).toBe(400);
  expect(hints).toEqual([]);
});

test('a push event of more than 1 MiB is refused', async () => {
  const status = await post(`"${'x'.repeat(1024 * 1024)}"`).then(
    (response) => response.status,
    // The server may close the connection before the whole body is sent.
    () => 413,
  );

  expect(status).toBe(413);
  expect((await post(envelope)).status).toBe(202);
});

test('registries can connect and stay connected despite many idle connections without the token', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const push = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(envelope) };
      const sent = request({ port: listener.port, path: '/events', method: 'POST', headers, agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      sent.once('error', reject);
      sent.end(envelope);
    });
  expect(await push()).toBe(202);

  const strangers = Array.from({ length: 150 }, () => connect(listener.port, '127.0.0.1'));
  let closed = 0;
  for (const stranger of strangers) stranger.on('error', () => undefined).once('close', () => (closed += 1));
  await expect.poll(() => closed).toBe(50);

  expect([await push(), (await post(envelope)).status]).toEqual([202, 202]);
  expect(closed).toBeLessThan(150);
  for (const stranger of strangers) stranger.destroy();
  agent.destroy();
});

test('push events are accepted at one path, with one method only', async () => {
  expect((await post(envelope, { path: '/other' })).status).toBe(404);
  expect((await post(envelope, { path: '//' })).status).toBe(404);
  expect((await post('', { method: 'GET' })).status).toBe(405);
});

test('an incomplete push event does not affect the next one', async () => {
  await new Promise<void>((resolve) => {
    const headers = { authorization: `Bearer ${token}`, 'content-length': 1000 };
    const broken = request({ port: listener.port, path: '/events', method: 'POST', headers });
    broken.on('error', () => resolve());
    broken.write('{"events"', () => broken.destroy(new Error('gone')));
  });

  expect((await post(envelope)).status).toBe(202);
  expect(hints).toEqual([hint]);
});
