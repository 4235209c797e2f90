import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { envs } from '@berth/contracts/resources/envs/envs';
import { k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import type { PodLogPart } from '@berth/contracts/resources/clusters/pod-log';
import type { LogLine } from '@berth/contracts/resources/tasks/runner-tasks';
import { samplePlaces } from '@berth/testing/test-identities';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { problemOf } from '../support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

let gateway: TestGateway;
let release: () => void;
let arrived: Promise<void>;

/** After this time, a stopping gateway cuts off requests; only one test waits for it. */
const graceMs = 3_000;

beforeEach(async () => {
  await start(60_000);
});

async function start(graceMs: number): Promise<void> {
  gateway = await startTestGateway({ graceMs, budgetMs: 60_000 });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrive = () => {};
  arrived = new Promise((resolve) => {
    arrive = resolve;
  });
  await gateway.serve(
    'auth',
    testAuth(),
    some(envs, {
      list: async () => {
        arrive();
        await released;
        return { page: 1, per_page: 50, items: [], num_total: 0 };
      },
    }),
  );
}
afterEach(async () => {
  release();
  await gateway[Symbol.asyncDispose]();
});

test('a stopping gateway finishes requests in flight, refuses new ones and closes idle connections', async () => {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'x-service-token': 'siteAdmin' };
  const inFlight = once(get(`${gateway.url}/api/v2/envs`, { agent, headers }), 'response');
  await arrived;

  const stopped = gateway.stop();
  await expect.poll(() => fetch(`${gateway.url}/api/v2/server`).then(() => 'answered', String)).toMatch('fetch failed');
  release();

  const [response]: IncomingMessage[] = await inFlight;
  expect(response?.statusCode).toBe(200);
  response?.resume();
  const started = performance.now();
  await stopped;
  // Much sooner than the idle connection would have been cut off otherwise.
  expect(performance.now() - started).toBeLessThan(30_000);
  agent.destroy();
});

test('a lingering gateway answers on open connections, and closes each with its response', async () => {
  release();
  await using lingering = await startTestGateway({ lingerMs: 3_000 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answer = async () => {
    const [response]: IncomingMessage[] = await once(get(`${lingering.url}/api/v2/server`, { agent }), 'response');
    response?.resume();
    await once(response ?? agent, 'end');
    return [response?.statusCode, response?.headers.connection];
  };
  expect(await answer()).toEqual([200, 'keep-alive']);

  const stopped = lingering.stop();

  expect(await answer()).toEqual([200, 'close']);
  // It still accepts another connection.
  expect(await answer()).toEqual([200, 'close']);
  await stopped;
  await expect(answer()).rejects.toThrow('ECONNREFUSED');
  agent.destroy();
});

test('a stopping gateway cuts off requests that do not end in time', async () => {
  await gateway[Symbol.asyncDispose]();
  await start(graceMs);
  const inFlight = gateway.get('/api/v2/envs');
  await arrived;

  // Only the cut-off can end the request: its deadline is far away.
  await Promise.all([gateway.stop(), expect(inFlight).rejects.toThrow('fetch failed')]);
});

test('a stopping gateway reports not ready at once, while it still answers requests', async () => {
  gateway.announceStop();

  const ready = await fetch(`${gateway.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'stopping' }]);
  expect((await fetch(`${gateway.url}/api/v2/server`)).status).toBe(200);
});

test('a stopping gateway aborts open streams, so that their clients notice', async () => {
  await gateway.serve(
    'tasks',
    some(deploymentTasks, {
      log_lines: async () => ({ lines: [], next: 0, finished: false }),
    }),
  );
  const response = await gateway.get('/api/v2/deployment-tasks/0b8a6b0e-0000-4000-8000-000000000001/log?follow=true');
  const text = response.text();
  await Promise.all([gateway.stop(), expect(text).rejects.toThrow('terminated')]);
});

test('a stopping gateway cuts off new streams of events rather than refuse them, since an EventSource does not retry after a refusal', async () => {
  const tasks = await gateway.serve('tasks', some(deploymentTasks, {}));
  await tasks.state.ensureStream();
  gateway.announceStop();

  const response = await gateway.get('/api/v2/events');

  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
});

test.for([
  ['the log of a task', '/api/v2/deployment-tasks/0b8a6b0e-0000-4000-8000-000000000001/log?follow=true'],
  ['the log of a pod', '/api/v2/k8s-resources/0b8a6b0e-0000-4000-8000-000000000001/log?follow=true'],
] as const)('a stopping gateway refuses to follow %s, so that another gateway does', async ([, path]) => {
  const part: PodLogPart = {
    text: 'a line\n',
    position: { at: '2026-01-02T03:04:05Z', lines: 1 },
    state: 'read',
    reason: null,
  };
  await gateway.serve(
    'tasks',
    some(deploymentTasks, { log_lines: async () => ({ lines: [line()], next: 1, finished: false }) }),
  );
  await gateway.serve(
    'cluster-sync',
    some(k8sResources, {
      log_part: async (_request, { permit }) => {
        permit({ kind_id: samplePlaces.kindId, env_id: samplePlaces.envId });
        return part;
      },
    }),
  );
  gateway.announceStop();

  const response = await gateway.get(path);

  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await problemOf(response)).toMatchObject({
    code: 'unavailable',
    detail: 'This gateway is stopping; try again',
  });
});

test('a stopping gateway sends logs that are not followed to their end, even if they are requested while it lingers', async () => {
  await using lingering = await startTestGateway({ lingerMs: 3_000 });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let reading = 0;
  await lingering.serve('auth', testAuth());
  await lingering.serve(
    'tasks',
    some(deploymentTasks, {
      log_lines: async ({ body: { from, limit } }) => {
        if (from === 0) return { lines: Array.from({ length: limit }, line), next: limit, finished: false };
        // By now the first part is being sent to the client.
        reading += 1;
        await released;
        return { lines: [line()], next: from + 1, finished: false };
      },
    }),
  );
  const read = async () => {
    const response = await lingering.get('/api/v2/deployment-tasks/0b8a6b0e-0000-4000-8000-000000000001/log');
    return (await response.text()).trimEnd().split('\n').length;
  };
  const begunBefore = read();
  await expect.poll(() => reading).toBe(1);

  const stopped = lingering.stop();
  const begunAfter = read();
  await expect.poll(() => reading).toBe(2);
  release();

  expect(await Promise.all([begunBefore, begunAfter])).toEqual([501, 501]);
  await stopped;
});

const line = (): LogLine => ({ at: '2026-01-02T03:04:05.678Z', source: 'stdout', text: 'a line' });
