import { setTimeout as sleep } from 'node:timers/promises';
import type { ServedResource } from '@berth/bus/rpc/handler';
import { serviceNames } from '@berth/contracts/definition/contract';
import { envs } from '@berth/contracts/resources/envs/envs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { problemOf } from './support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from './support/start-test-gateway.ts';

let gateway: TestGateway;
/** Ends the handlers that never answer, because a stopping service waits for them. */
let giveUp: () => void;
let list: ServedResource;
beforeEach(async () => {
  gateway = await startTestGateway();
  const never = Promise.withResolvers<never>();
  never.promise.catch(() => undefined);
  giveUp = () => never.reject(new Error('the test is over'));
  list = some(envs, { list: () => never.promise });
});
afterEach(async () => {
  giveUp();
  await gateway[Symbol.asyncDispose]();
});

test('an operation of a service that is not running is 503 at once, with the name of the service', async () => {
  await gateway.serve('auth', testAuth());

  const response = await gateway.get('/api/v2/deployments');

  expect(await problemOf(response)).toMatchObject({
    status: 503,
    code: 'unavailable',
    detail: 'The service tasks is not running; try again in a moment',
  });
});

test('without auth every credential is 503, and operations without a credential are answered', async () => {
  expect(await problemOf(await gateway.get('/api/v2/deployments'))).toMatchObject({ status: 503 });
  expect(await (await gateway.get('/api/v2/server')).json()).toEqual({ version: '1.2.3' });
});

test('an owner that never answers is 504 after the deadline of the request', async () => {
  await gateway[Symbol.asyncDispose]();
  gateway = await startTestGateway({ budgetMs: 1_500 });
  await gateway.serve('auth', testAuth(), list);

  const response = await gateway.get('/api/v2/envs');

  expect(await problemOf(response)).toMatchObject({
    status: 504,
    code: 'timeout',
    detail: 'The service auth did not answer in time',
  });
});

test('while NATS is stopped, requests get 503 at once, and so do those in flight', async () => {
  await gateway.serve('auth', testAuth(), list);
  const inFlight = gateway.get('/api/v2/envs');
  await sleep(100);

  await gateway.nats.stop();

  expect(await problemOf(await inFlight)).toMatchObject({ status: 503, code: 'unavailable' });
  for (const path of ['/api/v2/envs', '/api/v2/server', '/readyz']) {
    const response = await gateway.get(path);
    expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 503, '1']);
  }
  expect((await gateway.get('/healthz')).status).toBe(200);

  await gateway.nats.start();
  await expect.poll(async () => (await gateway.get('/api/v2/server')).status).toBe(200);
});

test('/readyz names the services that do not answer', async () => {
  const ready = async () => {
    const response = await fetch(`${gateway.url}/readyz`);
    return { code: response.status, body: await response.json() };
  };
  expect(await ready()).toEqual({
    code: 503,
    body: {
      status: 'not ready',
      bus: 'ok',
      services: {
        auth: 'not answering',
        tasks: 'not answering',
        'cluster-sync': 'not answering',
        'registry-scan': 'not answering',
      },
    },
  });

  const [, ...others] = serviceNames;
  for (const name of others) await gateway.serve(name, ...(name === 'auth' ? [list] : []));
  await expect.poll(ready).toMatchObject({ code: 200, body: { status: 'ok', services: { auth: 'ok', tasks: 'ok' } } });
});
