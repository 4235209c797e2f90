import { envs } from '@berth/contracts/resources/envs/envs';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { sampleIdentities } from '@berth/testing/test-identities';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { problemOf } from '../support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

type Options = NonNullable<Parameters<typeof startTestGateway>[0]>;

const servers: TestGateway[] = [];
afterEach(async () => {
  for (const server of servers.splice(0).toReversed()) await server[Symbol.asyncDispose]();
});

/** A gateway with a stopped clock, and the number of calls to auth. */
async function start(
  options: Options = {},
  auth = testAuth(),
): Promise<{ gateway: TestGateway; clock: { ms: number }; calls: () => number }> {
  const clock = { ms: 1_000 };
  const gateway = await startTestGateway({ ...options, perMinute: { now: () => clock.ms, ...options.perMinute } });
  servers.push(gateway);
  let calls = 0;
  await gateway.serve(
    'auth',
    some(identities, {
      authenticate: async (request, context) => {
        calls += 1;
        return (await auth.handlers['authenticate']?.(request, context)) as never;
      },
    }),
    some(envs, { list: async () => ({ page: 1, per_page: 50, items: [], num_total: 0, next: null }) }),
  );
  return { gateway, clock, calls: () => calls };
}

const requestAs = ({ url }: TestGateway, token: string, path = '/api/v2/envs', headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, { headers: { 'x-service-token': token, ...headers } });
const limitsOf = ({ headers }: Response) => [headers.get('ratelimit'), headers.get('ratelimit-policy')];

describe('requests of one identity', () => {
  test('get 429 beyond its limit without a call to auth, while others are served', async () => {
    const { gateway, clock, calls } = await start({ perMinute: { requestsPerMinute: 3 } });

    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push(await requestAs(gateway, 'envUser'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map((answer) => limitsOf(answer))).toEqual([
      ['"identity";r=2;t=20', '"identity";q=3;w=60'],
      ['"identity";r=1;t=40', '"identity";q=3;w=60'],
      ['"identity";r=0;t=20', '"identity";q=3;w=60'],
    ]);

    const before = calls();
    const refused = await requestAs(gateway, 'envUser');
    expect(refused.headers.get('retry-after')).toBe('20');
    expect(limitsOf(refused)).toEqual(['"identity";r=0;t=20', '"identity";q=3;w=60']);
    expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(calls()).toBe(before);
    expect((await requestAs(gateway, 'envAdmin')).status).toBe(200);
    expect(gateway.logged().find(({ status }) => status === 429)).toMatchObject({
      identity_id: sampleIdentities.envUser.id,
    });

    clock.ms += 20_000;
    expect((await requestAs(gateway, 'envUser')).status).toBe(200);
  });

  test('are refused after a short delay, which slows down only a client that repeats them at once', async () => {
    const { gateway } = await start({ perMinute: { requestsPerMinute: 1 } });
    await requestAs(gateway, 'envUser');

    const began = performance.now();
    const repeated = async () => {
      for (let n = 0; n < 3; n += 1) expect((await requestAs(gateway, 'envUser')).status).toBe(429);
      return performance.now() - began;
    };
    const served = async () => {
      expect((await requestAs(gateway, 'maintainer')).status).toBe(200);
      return performance.now() - began;
    };
    const [refusedMs, servedMs] = await Promise.all([repeated(), served()]);

    expect(refusedMs).toBeGreaterThan(3 * 240);
    expect(servedMs).toBeLessThan(refusedMs);
  });

  test('are counted together, whichever of its credentials are used', async () => {
    const { gateway } = await start({ perMinute: { requestsPerMinute: 2 } });
    const { url } = gateway;
    const bearer = () => fetch(`${url}/api/v2/envs`, { headers: { authorization: 'Bearer envUser' } });

    expect([(await requestAs(gateway, 'envUser')).status, (await bearer()).status]).toEqual([200, 200]);
    expect([(await requestAs(gateway, 'envUser')).status, (await bearer()).status]).toEqual([429, 429]);
  });

  test('count if they are refused for another reason, but not if they exceed the limit', async () => {
    const { gateway, clock } = await start({ perMinute: { requestsPerMinute: 2 } });
    expect((await requestAs(gateway, 'envUser', '/api/v2/envs?colour=red')).status).toBe(400);
    await requestAs(gateway, 'envUser');
    for (let n = 0; n < 50; n += 1) await requestAs(gateway, 'envUser');

    clock.ms += 30_000;
    expect((await requestAs(gateway, 'envUser')).status).toBe(200);
  });

  test('have neither a limit nor its headers if the limit is 0', async () => {
    const { gateway } = await start({ perMinute: { requestsPerMinute: 0, anonymousRequestsPerMinute: 0 } });

    const answer = await requestAs(gateway, 'envUser');
    expect([answer.status, ...limitsOf(answer)]).toEqual([200, null, null]);
    expect(limitsOf(await fetch(`${gateway.url}/api/v2/server`))).toEqual([null, null]);
  });

  test('do not end its open streams if they exceed the limit', async () => {
    const { gateway } = await start({ perMinute: { requestsPerMinute: 2 } });
    let reads = 0;
    await gateway.serve(
      'tasks',
      some(deploymentTasks, {
        log_lines: async () => {
          reads += 1;
          return { lines: [], next: 0, finished: false };
        },
      }),
    );
    const id = '0b8a6b0e-0000-4000-8000-000000000001';
    const stream = await requestAs(gateway, 'envUser', `/api/v2/deployment-tasks/${id}/log?follow=true`);
    expect(stream.headers.get('ratelimit')).toBe('"identity";r=1;t=30');
    await requestAs(gateway, 'envUser');
    expect((await requestAs(gateway, 'envUser')).status).toBe(429);

    let isOver = false;
    const over = stream.text().then(
      () => (isOver = true),
      () => (isOver = true),
    );
    const before = reads;
    await vi.waitFor(() => expect(reads).toBeGreaterThan(before + 2), { interval: 100 });
    expect(isOver).toBe(false);
    gateway.announceStop();
    await over;
  });
});

describe('requests without an identity', () => {
  const forwarded = (from: string) => ({ 'x-forwarded-for': from });
  const anonymous = ({ url }: TestGateway, path: string, headers: Record<string, string>) =>
    fetch(`${url}${path}`, { headers });

  test('are limited by address, an IPv6 address by its /64, and probes are never limited', async () => {
    const { gateway } = await start({ trustedProxies: ['127.0.0.0/8'], perMinute: { anonymousRequestsPerMinute: 2 } });
    const from = (address: string, path = '/api/v2/server') => anonymous(gateway, path, forwarded(address));

    expect(limitsOf(await from('2001:db8:1:2::1'))).toEqual(['"address";r=1;t=30', '"address";q=2;w=60']);
    expect((await from('2001:db8:1:2::2', '/api/v2/openapi.json')).status).toBe(200);
    expect(await problemOf(await from('2001:db8:1:2::3'))).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect((await from('2001:db8:1:3::1')).status).toBe(200);
    expect((await from('2001:db8:1:2::1', '/healthz')).status).toBe(200);
  });

  test('include those to public routes and those without a credential', async () => {
    const { gateway } = await start({ trustedProxies: ['127.0.0.0/8'], perMinute: { anonymousRequestsPerMinute: 2 } });
    const address = forwarded('203.0.113.9');

    expect((await anonymous(gateway, '/api/v2/envs', address)).status).toBe(401);
    expect((await requestAs(gateway, 'envUser', '/api/v2/server', address)).status).toBe(200);
    expect((await requestAs(gateway, 'envUser', '/api/v2/server', address)).status).toBe(429);
    expect((await anonymous(gateway, '/api/v2/envs', address)).status).toBe(429);
    expect((await requestAs(gateway, 'envUser', '/api/v2/envs', address)).status).toBe(200);
  });
});

test('requests that are refused although their secret is right are limited by address, and do not block known credentials', async () => {
  const active = new Set(['envUser', 'envAdmin', 'siteAdmin']);
  const { gateway, calls } = await start({ perMinute: { anonymousRequestsPerMinute: 3 } }, testAuth(active));
  expect((await requestAs(gateway, 'envUser')).status).toBe(200);
  active.delete('envAdmin');

  const answers = [];
  for (let n = 0; n < 3; n += 1) answers.push(await requestAs(gateway, 'envAdmin'));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(limitsOf(answers[0] as Response)).toEqual(['"address";r=2;t=20', '"address";q=3;w=60']);
  expect(await problemOf(answers[0] as Response)).toMatchObject({ code: 'user_inactive' });

  const before = calls();
  expect(await problemOf(await requestAs(gateway, 'envAdmin'))).toMatchObject({ status: 429 });
  expect(calls()).toBe(before);
  expect((await requestAs(gateway, 'envUser')).status).toBe(200);
  expect((await fetch(`${gateway.url}/api/v2/server`)).status).toBe(200);
});

describe('attempts to guess a credential', () => {
  const guess = async (gateway: TestGateway): Promise<number> => (await requestAs(gateway, 'a guess')).status;

  test('are counted by all replicas together, including attempts that a lost replica counted', async () => {
    const perMinute = { failedCredentialsPerMinute: 4 };
    const { gateway: first } = await start({ perMinute });
    const { gateway: second } = await start({ perMinute, nats: first.nats });
    expect([await guess(first), await guess(first), await guess(second), await guess(second)]).toEqual([
      401, 401, 401, 401,
    ]);

    const isUsedUp = ({ logged }: TestGateway) => logged().some(({ level }) => level === 'warn');
    await vi.waitFor(() => expect([isUsedUp(first), isUsedUp(second)]).toEqual([true, true]));

    expect([await guess(first), await guess(second)]).toEqual([429, 429]);
    await first.stop();
    expect(await guess(second)).toBe(429);
  });

  test('have no limit if it is 0', async () => {
    const { gateway } = await start({ perMinute: { failedCredentialsPerMinute: 0 } });

    for (let n = 0; n < 400; n += 1) expect(await guess(gateway)).toBe(401);
  });
});
