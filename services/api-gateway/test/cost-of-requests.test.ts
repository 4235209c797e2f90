import { envs } from '@berth/contracts/resources/envs/envs';
import { AppError } from '@berth/contracts/errors';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { afterEach, describe, expect, test } from 'vitest';
import { problemOf } from './support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from './support/start-test-gateway.ts';

const id = '0b8a6b0e-0000-4000-8000-000000000001';
const openApi = '/api/v2/openapi.json';

const servers: TestGateway[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});
async function start(options: NonNullable<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  servers.push(gateway);
  return gateway;
}
const stopped = { now: () => 0 };
const leftIn = ({ headers }: Response) => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);
const as = (token: string) => ({ 'x-service-token': token });

describe('the limit counts what requests cost', () => {
  test('a burst may contain the requests of some seconds, not of a minute', async () => {
    const gateway = await start({ perMinute: { ...stopped, anonymousRequestsPerMinute: 120, burstSeconds: 5 } });

    const answers = [];
    for (let n = 0; n < 12; n += 1) answers.push((await fetch(`${gateway.url}/api/v2/server`)).status);

    expect(answers).toEqual([...Array<number>(10).fill(200), 429, 429]);
  });

  test('an answer costs by its bytes: the uncompressed OpenAPI document costs more than the compressed one', async () => {
    const gateway = await start({ perMinute: { ...stopped, anonymousRequestsPerMinute: 100 } });
    const costOf = async (encoding: string) => {
      const before = leftIn(await fetch(`${gateway.url}/api/v2/server`));
      await (await fetch(`${gateway.url}${openApi}`, { headers: { 'accept-encoding': encoding } })).arrayBuffer();
      return before - leftIn(await fetch(`${gateway.url}/api/v2/server`)) - 1;
    };

    expect(await costOf('identity')).toBeGreaterThanOrEqual(4);
    expect(await costOf('br')).toBeLessThanOrEqual(2);
  });

  test('a refused body of 1 MB costs more than thirty requests', async () => {
    const gateway = await start({ perMinute: { ...stopped, requestsPerMinute: 1_000 } });
    await gateway.serve('auth', testAuth(), some(envs, { list: async () => emptyPage }));
    const left = async () => leftIn(await gateway.get('/api/v2/envs'));
    const before = await left();

    expect((await gateway.send('POST', '/api/v2/envs', { name: 'x'.repeat(1_000_000) })).status).toBe(400);

    expect(before - (await left())).toBeGreaterThan(30);
  });

  test('a body of some kilobytes with thousands of members costs the time that it takes', async () => {
    const gateway = await start({ perMinute: { ...stopped, requestsPerMinute: 1_000 } });
    await gateway.serve('auth', testAuth(), some(envs, { list: async () => emptyPage }));
    const left = async () => leftIn(await gateway.get('/api/v2/envs'));
    const before = await left();

    const name = Array.from({ length: 9_990 }, () => []);
    expect((await gateway.send('POST', '/api/v2/envs', { name })).status).toBe(400);

    // One for each of the two requests, and at least one for the time.
    expect(before - (await left())).toBeGreaterThan(2);
  });

  test('large bodies of one identity beyond its limit are refused, while others are served', async () => {
    // Enough to count all of the requests, and used up by the first body, in whichever order they arrive.
    const gateway = await start({ perMinute: { ...stopped, requestsPerMinute: 21 } });
    await gateway.serve('auth', testAuth(), some(envs, { list: async () => emptyPage }));

    const refused = await Promise.all(
      Array.from({ length: 20 }, () => gateway.send('POST', '/api/v2/envs', { name: 'x'.repeat(700_000) })),
    );

    const count = (status: number) => refused.filter((answer) => answer.status === status).length;
    expect([count(400), count(429)]).toEqual([1, 19]);
    expect((await gateway.get('/api/v2/envs', { headers: as('envUser') })).status).toBe(200);
  });
});

const emptyPage = { page: 1, per_page: 50, items: [], num_total: 0, next: null };

describe('the requests of one identity', () => {
  test('are answered one after the other if their bodies are large', async () => {
    const gateway = await start();
    let [now, most] = [0, 0];
    const env = { id, created_at: '2026-01-02T03:04:05.678Z', name: 'harbour', node_selector: null };
    await gateway.serve(
      'auth',
      testAuth(),
      some(envs, {
        create: async () => {
          now += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => void setTimeout(resolve, 5));
          now -= 1;
          return { ...env, tolerations: null, auto_add_new_users: false };
        },
      }),
    );
    const body = `${' '.repeat(100_000)}{"name":"harbour"}`;

    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.send('POST', '/api/v2/envs', body)));

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(most).toBe(1);
  });

  test('take at most sixteen slots, and requests of others do not wait for them', async () => {
    const gateway = await start();
    const waiting: (() => void)[] = [];
    await gateway.serve(
      'auth',
      testAuth(),
      some(envs, {
        list: async (_request, { identity }) => {
          if (identity.kind === 'user' && !identity.is_admin)
            await new Promise<void>((resolve) => waiting.push(resolve));
          return emptyPage;
        },
      }),
    );

    const flood = Array.from({ length: 40 }, () => gateway.get('/api/v2/envs', { headers: as('envUser') }));
    await expect.poll(() => waiting.length).toBe(16);
    expect((await gateway.get('/api/v2/envs')).status).toBe(200);
    expect(waiting.length).toBe(16);

    for (let answered = 0; answered < 40; answered += 1) {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.();
    }
    expect((await Promise.all(flood)).every(({ status }) => status === 200)).toBe(true);
  });

  test('take no more slots where they create what has a deadline of its own', async () => {
    const gateway = await start();
    const waiting: (() => void)[] = [];
    await gateway.serve(
      'tasks',
      some(deployments, {
        create: async (_request, { permit }) => {
          permit({ env_id: id, kind_id: id });
          await new Promise<void>((resolve) => waiting.push(resolve));
          throw new AppError('conflict', 'The name is taken');
        },
      }),
    );
    await gateway.serve('auth', testAuth());
    const body = { kind_id: id, cluster_id: id, helm_chart_id: id, config: {}, values_override: null };

    const flood = Array.from({ length: 20 }, () => gateway.send('POST', '/api/v2/deployments', body));
    await expect.poll(() => waiting.length).toBeGreaterThanOrEqual(16);
    // Answered only after those of the flood that could pass have passed.
    expect((await gateway.get('/healthz')).status).toBe(200);
    expect(waiting.length).toBe(16);

    for (let answered = 0; answered < 20; answered += 1) {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.();
    }
    expect((await Promise.all(flood)).map(({ status }) => status)).toEqual(Array(20).fill(409));
  });
});

describe('a permission that no row could give', () => {
  test('is refused before the body is read', async () => {
    const gateway = await start();
    await gateway.serve('auth', testAuth());
    await gateway.serve('tasks', some(deployments, {}));
    const head = `PUT /api/v2/deployments/${id} HTTP/1.1\r\nhost: x\r\nx-service-token: envUser\r\n`;

    // The body is never sent, so waiting for it would end in 408.
    const answer = await gateway.raw(
      `${head}connection: close\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('is refused by the owner, which audits the attempt', async () => {
    const gateway = await start();
    await gateway.serve('auth', testAuth());
    const tasks = await gateway.serve('tasks', some(deployments, {}));
    expect(tasks.caller).toBe('tasks');

    const refused = await gateway.send('PUT', `/api/v2/deployments/${id}`, { nonsense: 1 }, as('envUser'));

    expect(await problemOf(refused)).toMatchObject({
      status: 403,
      detail: 'Only a maintainer of the deployment may do this',
    });
    expect((await gateway.send('PUT', `/api/v2/deployments/${id}`, { nonsense: 1 }, as('maintainer'))).status).toBe(
      400,
    );
  });
});

test('beside a member with a hundred connections and a stranger, none of the requests of others is refused', async () => {
  const perMinute = { ...stopped, requestsPerMinute: 120, anonymousRequestsPerMinute: 20, burstSeconds: 60 };
  const gateway = await start({ trustedProxies: ['127.0.0.0/8'], perMinute });
  await gateway.serve('auth', testAuth(), some(envs, { list: async () => emptyPage }));
  const statuses = {
    member: new Map<number, number>(),
    stranger: new Map<number, number>(),
    others: new Map<number, number>(),
  };
  const count = (who: keyof typeof statuses) => async (answer: Response) => {
    await answer.arrayBuffer();
    statuses[who].set(answer.status, (statuses[who].get(answer.status) ?? 0) + 1);
  };
  const large = { name: 'x'.repeat(100_000) };
  const noise = Array.from({ length: 100 }, async (_, n) => {
    const send =
      n % 4 === 0 ? gateway.send('POST', '/api/v2/envs', large, as('siteAdmin')) : gateway.get('/api/v2/envs');
    await send.then(count('member'));
    await gateway.get('/api/v2/envs').then(count('member'));
    for (let turn = 0; turn < 2; turn += 1)
      await fetch(`${gateway.url}${openApi}`, { headers: { 'x-forwarded-for': '203.0.113.9' } }).then(
        count('stranger'),
      );
  });
  const others = Array.from({ length: 20 }, async (_, n) => {
    await gateway.get('/api/v2/envs', { headers: as(n % 2 === 0 ? 'envUser' : 'maintainer') }).then(count('others'));
    const headers = { 'x-forwarded-for': `198.51.100.${n}` };
    await fetch(`${gateway.url}/api/v2/server`, { headers }).then(count('others'));
  });
  await Promise.all([...noise, ...others]);

  expect([...statuses.others]).toEqual([[200, 40]]);
  expect(statuses.member.get(429)).toBeGreaterThan(0);
  expect(statuses.stranger.get(200)).toBeLessThanOrEqual(20);
  expect(statuses.stranger.get(429)).toBeGreaterThanOrEqual(80);
});

describe('the OpenAPI document', () => {
  test('has a tag for each encoding, and a client with the current tag gets no copy', async () => {
    const gateway = await start();
    const read = (headers: Record<string, string>) => fetch(`${gateway.url}${openApi}`, { headers });

    const tags = new Set<string>();
    for (const encoding of ['identity', 'gzip', 'br']) {
      const first = await read({ 'accept-encoding': encoding });
      const etag = first.headers.get('etag') ?? '';
      tags.add(etag);
      expect(await first.json()).toMatchObject({ openapi: '3.1.0' });
      const again = await read({ 'accept-encoding': encoding, 'if-none-match': `"other", W/${etag}` });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    }
    expect(tags.size).toBe(3);
  });
});
