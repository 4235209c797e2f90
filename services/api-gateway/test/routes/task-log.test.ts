import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@berth/bus/bus';
import { deploymentTasks, type TaskEnd } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { LogLine } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError } from '@berth/contracts/errors';
import { sampleIdentities } from '@berth/testing/test-identities';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { followLog } from '../support/follow-log.ts';
import { problemOf } from '../support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

const id = '0b8a6b0e-0000-4000-8000-000000000001';
const path = `/api/v2/deployment-tasks/${id}/log`;

let gateway: TestGateway;
let tasks: Bus;
let active: Set<string>;
let kept: LogLine[];
let ended: TaskEnd | undefined;
let reads: number;
/** The longest answer that the owner gave, in characters. */
let fits: number;

beforeEach(async () => {
  gateway = await startTestGateway({ slowReaderMs: 3_000, limits: { total: 3, perIdentity: 2 } });
  [active, kept, ended, reads, fits] = [new Set(Object.keys(sampleIdentities)), [], undefined, 0, 3_000_000];
  await gateway.serve('auth', testAuth(active));
  tasks = await gateway.serve(
    'tasks',
    some(deploymentTasks, {
      log_lines: async ({ body: { task_id, from, limit } }) => {
        if (task_id !== id) throw new AppError('not_found', 'No such deployment task');
        reads += 1;
        const lines = kept.slice(from, from + limit);
        if (lines.reduce((sum, { text }) => sum + text.length, 0) > fits) throw new AppError('too_large', 'Too large');
        const finished = ended !== undefined && lines.length < limit;
        return { lines, next: from + lines.length, finished, ...(finished && { outcome: ended }) };
      },
    }),
  );
});
afterEach(() => gateway[Symbol.asyncDispose]());

const line = (text: string): LogLine => ({ at: '2026-01-02T03:04:05.678Z', source: 'stdout', text });

function append(...texts: string[]): void {
  kept.push(...texts.map(line));
  tasks.hints.send('task_log', id);
}

function end(outcome: TaskEnd = { status: 'Done', reason: null }): void {
  ended = outcome;
  tasks.hints.send('task_log', id);
}

const follow = (token = 'siteAdmin') => followLog(gateway, path, token);

test('a followed log that is quiet gets empty lines, so that no proxy cuts it off, and one that is not followed gets none', async () => {
  await using quick = await startTestGateway({ heartbeatMs: 100 });
  await quick.serve('auth', testAuth(active));
  let finished = false;
  const log_lines = async ({ body: { from } }: { body: { from: number } }) => ({
    lines: [line('quiet')].slice(from),
    next: 1,
    finished,
  });
  await quick.serve('tasks', some(deploymentTasks, { log_lines }));

  const { text, done } = await followLog(quick, path, 'siteAdmin');
  await expect.poll(text).toMatch(/^quiet\n\n\n+$/);
  finished = true;

  expect(await done).toMatch(/^quiet\n+$/);
  expect(await (await quick.get(path)).text()).toBe('quiet\n');
});

test('a log that is not followed is sent up to its current end, however long it is', async () => {
  append(...Array.from({ length: 1_200 }, (_, n) => `line ${n}`));
  const response = await gateway.get(path);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.text()).toBe(kept.map(({ text }) => `${text}\n`).join(''));
});

test('log lines that do not fit into one message are read in smaller parts', async () => {
  fits = 20_000;
  append(...Array.from({ length: 20 }, () => 'x'.repeat(8_000)));
  expect((await (await gateway.get(path)).text()).length).toBe(20 * 8_001);
});

test('a refused log request is a problem: no credential, unknown task, wrong query', async () => {
  expect(await problemOf(await fetch(`${gateway.url}${path}`))).toMatchObject({ status: 401 });
  expect(await problemOf(await gateway.get(path.replace(/.\/log/, '2/log')))).toMatchObject({ status: 404 });
  expect(await problemOf(await gateway.get(`${path}?follow=maybe`))).toMatchObject({ status: 400 });
});

test('HEAD of a log answers its headers', async () => {
  const response = await gateway.send('HEAD', `${path}?follow=true`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
});

describe('a follower of a log', () => {
  test('gets each line when its hint arrives, before the next poll, and its stream ends with the task', async () => {
    const pollMs = 1_000;
    append('first');
    const { text, done } = await follow();
    await expect.poll(text).toBe('first\n');

    const started = performance.now();
    for (let n = 1; n <= 10; n += 1) {
      append(`line ${n}`);
      await expect.poll(text, { interval: 5 }).toMatch(new RegExp(`^line ${n}$`, 'm'));
    }
    // Without hints each line would wait for a poll.
    expect(performance.now() - started).toBeLessThan(9 * pollMs);

    kept.push(line('last'));
    end();
    expect(await done).toMatch(/^first\nline 1\n(.+\n){9}last\n-- Done\n$/);
  });

  test.for<[string, TaskEnd, string]>([
    ['done', { status: 'Done', reason: null }, '-- Done\n'],
    ['failed, on one line', { status: 'Failed', reason: 'no image\n  web:2' }, '-- Failed: no image web:2\n'],
    ['canceled without a reason', { status: 'Canceled', reason: null }, '-- Canceled\n'],
    ['canceled with a reason', { status: 'Canceled', reason: 'too slow' }, '-- Canceled: too slow\n'],
  ])('reads as its last line that a task was %s, even before it was followed', async ([, outcome, last]) => {
    append('first');
    end(outcome);

    expect(await (await follow()).done).toBe(`first\n${last}`);
    expect(await (await gateway.get(path)).text()).toBe('first\n');
  });

  test('gets lines even if the hint was lost', async () => {
    const { text } = await follow();
    kept.push(line('without a hint'));
    await expect.poll(text).toBe('without a hint\n');
  });

  test('is cut off when its user is deactivated', async () => {
    const { done } = await follow('envAdmin');
    active.delete('envAdmin');
    await expect(done).rejects.toThrow('terminated');
  });

  test('survives a short outage of the bus', async () => {
    const { text, done } = await follow();
    await gateway.nats.stop();
    await sleep(1_500);
    await gateway.nats.start();
    await expect.poll(() => tasks.isConnected()).toBe(true);
    append('still here');
    await expect.poll(text).toBe('still here\n');
    end();
    await done;
  });

  test('causes no more reads when it disconnects', async () => {
    const { disconnect } = await follow();
    await expect.poll(() => reads).toBeGreaterThan(1);

    disconnect();

    await expect
      .poll(async () => {
        const before = reads;
        await sleep(1_300);
        return reads - before;
      })
      .toBe(0);
    expect(await gateway.metrics.metrics()).toContain('berth_http_in_flight 0');
  });

  test('is cut off if it reads nothing, without filling the memory', async () => {
    append(...Array.from({ length: 30_000 }, () => 'x'.repeat(2_000)));
    const request = get(`${gateway.url}${path}`, { headers: { 'x-service-token': 'siteAdmin' } });
    const [response]: IncomingMessage[] = await once(request, 'response');
    const broken = new Promise<string>((resolve) => response?.once('error', ({ message }) => resolve(message)));

    await expect.poll(() => gateway.logged().map(({ msg }) => msg)).toContain('stream cut short');
    expect(reads).toBeLessThan(40);
    response?.resume();
    expect(await broken).toBe('aborted');
  });

  test('may have two streams at a time, all followers together three', async () => {
    await Promise.all([follow(), follow()]);
    expect(await problemOf(await gateway.get(path))).toMatchObject({ status: 429, code: 'too_many_requests' });
    await follow('envUser');
    const one = await gateway.get(path, { headers: { 'x-service-token': 'owner' } });
    expect(await problemOf(one)).toMatchObject({ status: 503 });
  });
});

test('a request pipelined behind a followed log closes the connection', async () => {
  const one = (url: string) => `GET ${url} HTTP/1.1\r\nhost: x\r\nx-service-token: siteAdmin\r\n\r\n`;

  const answers = await gateway.raw(`${one(`${path}?follow=true`)}${one('/healthz')}`);

  expect(answers.match(/HTTP\/1.1 200/g) ?? []).not.toHaveLength(2);
  for (const _ of [1, 2]) expect((await follow()).text()).toBe('');
});
