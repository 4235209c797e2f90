import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import type { PodLogPart, PodLogRequest } from '@berth/contracts/resources/clusters/pod-log';
import { AppError } from '@berth/contracts/errors';
import { sampleIdentities } from '@berth/testing/test-identities';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { followLog } from '../support/follow-log.ts';
import { problemOf } from '../support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

const id = '0b8a6b0e-0000-4000-8000-000000000001';
const path = `/api/v2/k8s-resources/${id}/log`;
const at = '2026-01-02T03:04:05Z';

let gateway: TestGateway;
let active: Set<string>;
/** The texts of the parts; a position is an index into this list. */
let kept: string[];
let ended: string | null;
let refusal: AppError | null;
let requests: PodLogRequest[];

beforeEach(() => start(120_000));

async function start(ms: number): Promise<void> {
  const podLogs = { total: 3, perIdentity: 2, bytes: 5_000_000, ms };
  gateway = await startTestGateway({ slowReaderMs: 3_000, podLogs });
  [active, kept, ended, refusal, requests] = [new Set(Object.keys(sampleIdentities)), [], null, null, []];
  await gateway.serve('auth', testAuth(active));
  await gateway.serve(
    'cluster-sync',
    some(k8sResources, {
      log_part: async ({ body }, { permit }) => {
        permit({ kind_id: '33333333-3333-4333-8333-333333333333', env_id: '11111111-1111-4111-8111-111111111111' });
        requests.push(body);
        if (refusal) throw refusal;
        const from = body.position?.lines ?? 0;
        const text = kept[from] ?? '';
        const next = Math.min(from + 1, kept.length);
        const position = { at, lines: next };
        if (next < kept.length) return { text, position, state: 'more', reason: null } satisfies PodLogPart;
        return { text, position, state: ended === null ? 'read' : 'ended', reason: ended } satisfies PodLogPart;
      },
    }),
  );
}
afterEach(() => gateway[Symbol.asyncDispose]());

const follow = (token = 'siteAdmin') => followLog(gateway, path, token);

test('the log of a pod is sent as text up to its current end, and options reach its owner', async () => {
  kept = ['one\n', 'two\n', 'three\n'];

  const response = await gateway.get(`${path}?container=web&tail_lines=10&since=2026-01-02T03:04:05%2B01:00`);

  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.text()).toBe('one\ntwo\nthree\n');
  expect(requests[0]).toEqual({
    resource_id: id,
    position: null,
    container: 'web',
    tail_lines: 10,
    since: '2026-01-02T02:04:05.000Z',
  });
});

test('a refused request for the log of a pod is a problem with the message of its owner', async () => {
  expect(await problemOf(await fetch(`${gateway.url}${path}`))).toMatchObject({ status: 401 });
  expect(await problemOf(await gateway.get(path.replace(id, 'x')))).toMatchObject({ status: 404 });
  expect(await problemOf(await gateway.get(path, { headers: { 'x-service-token': 'envUser' } }))).toMatchObject({
    status: 403,
  });
  refusal = new AppError('conflict', 'The cluster one is ignored');
  expect(await problemOf(await gateway.get(path))).toMatchObject({ status: 409, detail: 'The cluster one is ignored' });
  refusal = new AppError('unavailable', 'The cluster one cannot be reached: gone', { retryAfterSeconds: 14.5 });
  const unreachable = await gateway.get(path);
  expect(unreachable.headers.get('retry-after')).toBe('15');
  expect(await problemOf(unreachable)).toMatchObject({ status: 503, detail: refusal.message });
});

test.for([
  'follow=maybe',
  'tail_lines=many',
  'tail_lines=10001',
  'since=soon',
  'container=..',
  'lines=5',
  'previous=true&follow=true',
  'container=a&container=b',
])('the query %s is refused without a call to the owner', async (query) => {
  expect(await problemOf(await gateway.get(`${path}?${query}`))).toMatchObject({ status: 400 });
  expect(requests).toEqual([]);
});

test('HEAD of the log of a pod answers its headers', async () => {
  const response = await gateway.send('HEAD', `${path}?follow=true`);

  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
});

describe('a follower of the log of a pod', () => {
  test('gets lines as they arrive, and the reason why the log ends', async () => {
    kept = ['first\n'];
    const { text, done } = await follow();
    await expect.poll(text).toBe('first\n');

    kept.push('second\n');
    await expect.poll(text).toBe('first\nsecond\n');
    ended = 'the pod was deleted';

    expect(await done).toBe('first\nsecond\n[berth] the pod was deleted\n');
  });

  test('is cut off when its user is deactivated or loses the role', async () => {
    const { done } = await follow('envAdmin');
    active.delete('envAdmin');
    await expect(done).rejects.toThrow('terminated');

    const other = await follow('owner');
    refusal = new AppError('forbidden', 'Only a maintainer of the deployment may do this');
    await expect(other.done).rejects.toThrow('terminated');
  });

  test('survives a moment in which the cluster is unreachable', async () => {
    kept = ['first\n'];
    const { text, done } = await follow();
    refusal = new AppError('unavailable', 'Too many logs and events of the cluster one are being read');
    const before = requests.length;
    await expect.poll(() => requests.length).toBeGreaterThan(before);
    refusal = null;
    kept.push('second\n');
    await expect.poll(text).toBe('first\nsecond\n');
    ended = 'over';
    await done;
  });

  test('gets only a part of a log that is too long or takes too long, with a note', async () => {
    kept = Array.from({ length: 30 }, () => 'x'.repeat(1_000_000));
    const all = await (await gateway.get(path)).text();
    expect(all).toMatch(/^x{5000000}\[berth\] the log goes on: one request gets about 5000000 bytes\n$/);

    await gateway[Symbol.asyncDispose]();
    await start(4_000);
    kept = ['first\n'];
    const { done } = await follow();
    expect(await done).toBe('first\n[berth] the log goes on: one request follows it for 4 seconds\n');
  });

  test('causes no more reads and frees its slot when it disconnects', async () => {
    const { disconnect } = await follow();
    disconnect();

    const rest = async () => {
      const before = requests.length;
      await sleep(1_200);
      return requests.length - before;
    };
    await expect.poll(rest).toBe(0);
    expect(await gateway.metrics.metrics()).toContain('berth_http_in_flight 0');
  });

  test('is cut off if it reads nothing, without filling the memory or delaying others', async () => {
    kept = Array.from({ length: 60 }, () => 'x'.repeat(75_000));
    const request = get(`${gateway.url}${path}`, { headers: { 'x-service-token': 'siteAdmin' } });
    const [response]: IncomingMessage[] = await once(request, 'response');
    const broken = new Promise<string>((resolve) => response?.once('error', ({ message }) => resolve(message)));
    const other = await gateway.get(path, { headers: { 'x-service-token': 'owner' } });

    expect((await other.text()).length).toBe(60 * 75_000);
    await expect.poll(() => gateway.logged().map(({ msg }) => msg)).toContain('stream cut short');
    expect(requests.length).toBeLessThan(600);
    response?.resume();
    expect(await broken).toBe('aborted');
  });

  test('may have two streams at a time, all followers together three', async () => {
    await Promise.all([follow(), follow()]);
    expect(await problemOf(await gateway.get(path))).toMatchObject({ status: 429, code: 'too_many_requests' });
    await follow('envAdmin');
    const one = await gateway.get(path, { headers: { 'x-service-token': 'owner' } });
    expect(one.headers.get('retry-after')).toBe('10');
    expect(await problemOf(one)).toMatchObject({
      status: 503,
      detail: 'This gateway already sends 3 streams, which is its maximum; try again when others have ended',
    });
  });
});
