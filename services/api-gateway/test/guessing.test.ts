import type { Credential } from '@berth/contracts/resources/accounts/identities';
import { logins } from '@berth/contracts/resources/accounts/logins';
import { me } from '@berth/contracts/resources/accounts/me';
import { AppError } from '@berth/contracts/errors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { problemOf } from './support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from './support/start-test-gateway.ts';

let gateway: TestGateway;
let presented: Credential[];
let signIns: number;

async function start(trustedProxies: string[] = []): Promise<void> {
  [presented, signIns] = [[], 0];
  gateway = await startTestGateway({
    trustedProxies,
    perMinute: { failedCredentialsPerMinute: 5, signInsPerMinute: 4, now: () => 0 },
  });
  const auth = testAuth();
  const authenticate = auth.handlers['authenticate'];
  if (!authenticate) throw new Error('the test auth has no handler for authenticate');
  await gateway.serve(
    'auth',
    {
      ...auth,
      handlers: {
        ...auth.handlers,
        authenticate: async (request, context) => {
          presented.push((request as { body: Credential }).body);
          return authenticate(request, context);
        },
      },
    },
    some(me, {
      get: async () => ({
        Bot: {
          id: '0b8a6b0e-0000-4000-8000-000000000001',
          created_at: '2026-01-02T03:04:05.678Z',
          display_name: 'x',
          is_active: true,
        },
      }),
    }),
    some(logins, {
      start: async () => {
        signIns += 1;
        return { redirect_url: 'https://idp.example.test', state: `started-${signIns}` };
      },
      finish: async () => {
        signIns += 1;
        throw new AppError('invalid_login', 'No such attempt');
      },
    }),
  );
}
afterEach(() => gateway[Symbol.asyncDispose]());

const present = (headers: Record<string, string>, from?: string) =>
  fetch(`${gateway.url}/api/v2/auth/me`, {
    headers: { ...headers, ...(from !== undefined && { 'x-forwarded-for': from }) },
  });

async function guess(times: number, from?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const headers: Record<string, string> =
      n % 2 === 0 ? { 'x-service-token': `guess ${n}` } : { authorization: `Bearer guess-${n}` };
    const { status } = await present(headers, from);
    statuses.push(status);
  }
  return statuses;
}

describe('behind a trusted proxy', () => {
  beforeEach(() => start(['127.0.0.0/8']));

  test('a network that guesses credentials gets 429 with Retry-After without a call to auth, and others are unaffected', async () => {
    expect(await guess(5, '203.0.113.9')).toEqual([401, 401, 401, 401, 401]);
    const refused = await present({ 'x-service-token': 'guess' }, '203.0.113.9');

    expect(refused.headers.get('retry-after')).toBe('12');
    expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(presented).toHaveLength(5);
    // The address that the client claims comes before the one that the proxy appended.
    expect(await guess(1, '198.51.100.1, 203.0.113.9')).toEqual([429]);
    expect(await guess(1, '203.0.113.10')).toEqual([401]);
    expect(await guess(1, 'no address')).toEqual([401]);
  });

  test('IPv6 addresses are limited by /64', async () => {
    await guess(5, '2001:db8:1:2::1');

    expect(await guess(1, '2001:db8:1:2:ffff::9')).toEqual([429]);
    expect(await guess(1, '2001:db8:1:3::1')).toEqual([401]);
  });

  test('a known credential still works at the address of a guesser, where a missing one gets 401', async () => {
    expect((await present({ 'x-service-token': 'bot' }, '203.0.113.9')).status).toBe(200);
    await guess(6, '203.0.113.9');

    expect((await present({ 'x-service-token': 'bot' }, '203.0.113.9')).status).toBe(200);
    expect((await present({}, '203.0.113.9')).status).toBe(401);
    // At this address an unknown credential counts as a guess; once accepted at another address, it is known.
    expect((await present({ 'x-service-token': 'siteAdmin' }, '203.0.113.9')).status).toBe(429);
    expect((await present({ 'x-service-token': 'siteAdmin' }, '203.0.113.10')).status).toBe(200);
    expect((await present({ 'x-service-token': 'siteAdmin' }, '203.0.113.9')).status).toBe(200);
  });

  test('started and finished sign-ins are counted together, at every path and with every method', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' };
    const finish = (path: string, auth_code: string) =>
      fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ auth_code, state: `unknown ${auth_code}`.replace(' ', '-') }),
      });
    const begin = (method: string) => fetch(`${gateway.url}/api/v2/auth/idp`, { method, headers });

    const first = [
      await begin('GET'),
      await begin('HEAD'),
      await finish('/api/v2/auth/idp/callback', 'a'),
      await finish('/auth/idp/callback', 'b'),
    ];
    expect(first.map(({ status }) => status)).toEqual([200, 200, 400, 400]);

    const refused = await begin('GET');
    expect(refused.headers.get('retry-after')).toBe('15');
    expect(await problemOf(refused)).toMatchObject({ status: 429 });
    expect((await finish('/auth/idp/callback', 'c')).status).toBe(429);
    expect(signIns).toBe(4);
  });

  test('a started sign-in can be finished once, at any gateway, regardless of strangers at its address', async () => {
    const second = await startTestGateway({
      nats: gateway.nats,
      trustedProxies: ['127.0.0.0/8'],
      perMinute: { signInsPerMinute: 4, anonymousRequestsPerMinute: 20, now: () => 0 },
    });
    await using _second = second;
    const headers = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' };
    const finish = async ({ url }: TestGateway, state: string) => {
      const body = JSON.stringify({ auth_code: 'a', state });
      return (await fetch(`${url}/auth/idp/callback`, { method: 'POST', headers, body })).status;
    };
    const start = async ({ url }: TestGateway) => (await fetch(`${url}/api/v2/auth/idp`, { headers })).status;
    expect([await start(gateway), await start(gateway)]).toEqual([200, 200]);
    for (let n = 0; n < 30; n += 1) await finish(second, `stranger-${n}`);
    expect([await finish(second, 'stranger'), await start(second)]).toEqual([429, 429]);

    // The owner of this test refuses every attempt with 400.
    expect(await finish(second, 'started-1')).toBe(400);
    expect(await finish(second, 'started-1')).toBe(429);
    for (let n = 0; n < 10; n += 1) await finish(gateway, `stranger-${n}`);
    expect(await finish(gateway, 'started-2')).toBe(400);
  });

  test('a network that reaches its limit is logged once, without the credential', async () => {
    await guess(8, '203.0.113.9');

    const lines = gateway.logged().filter(({ level }) => level === 'warn');
    expect(lines).toEqual([expect.objectContaining({ network: '203.0.113.9', per_minute: 5 })]);
    expect(JSON.stringify(gateway.logged())).not.toContain('guess ');
  });
});

test('without a trusted proxy the address of the connection counts, not X-Forwarded-For', async () => {
  await start();

  expect(await guess(5, '203.0.113.1')).toEqual([401, 401, 401, 401, 401]);
  expect(await guess(1, '203.0.113.2')).toEqual([429]);
});
