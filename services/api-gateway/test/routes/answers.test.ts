import { etagOf } from '@berth/bus/rpc/etag';
import { envs } from '@berth/contracts/resources/envs/envs';
import type { Page } from '@berth/contracts/definition/paging';
import { logins } from '@berth/contracts/resources/accounts/logins';
import { AppError, errorCodes, isErrorCode } from '@berth/contracts/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../support/problem-of.ts';
import { sampleEnv } from '../support/sample-env.ts';
import { some, startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

const canary = 'canary-9f1d2c7e';
const env = sampleEnv;
const { id } = env;

let gateway: TestGateway;
let refusal: Error;
let page: Page<typeof env>;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve(
    'auth',
    testAuth(),
    some(logins, { finish: async () => ({ access_token: 'session' }) }),
    some(envs, {
      get: async () => env,
      list: async ({ query }) => (query.name === undefined ? page : Promise.reject(refusal)),
      create: async (_request, { repeatable }) => {
        repeatable();
        return env;
      },
      update: async ({ body }, { permit, checkIfMatch, noteQueued }) => {
        permit({ ...env, env_id: id });
        checkIfMatch(env);
        if (body.node_selector !== undefined) noteQueued({ ids: [id, env.id], count: 1_000 });
        return env;
      },
      delete: async (_request, { checkIfMatch }) => {
        checkIfMatch(env);
        return null;
      },
    }),
  );
});
afterAll(() => gateway[Symbol.asyncDispose]());

test('a read returns the row with its ETag', async () => {
  const response = await gateway.get(`/api/v2/envs/${id}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('etag')).toBe(etagOf(envs, env));
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await response.json()).toEqual(env);
});

test('a list whose rows contain a field outside of the contract is not sent', async () => {
  const spoiled = { ...env, password: canary };
  page = { page: 1, per_page: 50, items: [env, spoiled], num_total: 2 };

  const response = await gateway.get('/api/v2/envs');

  const text = await response.clone().text();
  expect(await problemOf(response)).toMatchObject({ status: 500, code: 'internal' });
  expect(text).not.toContain(canary);
  expect(text).not.toContain('harbour');
});

test('an answer arrives exactly as its owner wrote it', async () => {
  const names = ['ä € 😀', '"quoted" \\ {"ok":false}', '</script>\u2028'];
  const items = names.map((name) => ({ ...env, name }));
  page = { page: 1, per_page: 50, items, num_total: 3 };

  const response = await gateway.get('/api/v2/envs');

  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('etag')).toBeNull();
  expect(await response.text()).toBe(JSON.stringify(page));
});

test('a creation answers 201, a deletion 204 without a body, and PUT and PATCH 200', async () => {
  const created = await gateway.send('POST', '/api/v2/envs', { name: 'harbour' });
  expect([created.status, created.headers.get('etag')]).toEqual([201, etagOf(envs, env)]);
  const deleted = await gateway.send('DELETE', `/api/v2/envs/${id}`);
  expect([deleted.status, await deleted.text()]).toEqual([204, '']);
  for (const method of ['PUT', 'PATCH']) {
    expect((await gateway.send(method, `/api/v2/envs/${id}`, { name: 'harbour' })).status).toBe(200);
  }
});

test('an answer names the tasks that were queued, if there are any, in a header', async () => {
  const names = ['berth-task-ids', 'berth-task-count'];
  const queued = await gateway.send('PUT', `/api/v2/envs/${id}`, { node_selector: { disk: 'ssd' } });
  expect(names.map((name) => queued.headers.get(name))).toEqual([`${id}, ${env.id}`, '1000']);

  const renamed = await gateway.send('PUT', `/api/v2/envs/${id}`, { name: 'harbour' });
  expect(names.map((name) => renamed.headers.get(name))).toEqual([null, null]);
});

test('HEAD answers the headers of GET and no body', async () => {
  const response = await gateway.send('HEAD', `/api/v2/envs/${id}`);
  expect([response.status, response.headers.get('etag')]).toEqual([200, etagOf(envs, env)]);
  expect(await response.text()).toBe('');
});

test('a login is finished at both paths, without a credential', async () => {
  for (const path of ['/api/v2/auth/idp/callback', '/auth/idp/callback']) {
    const response = await gateway.send('POST', path, { auth_code: 'c', state: 's' }, { 'x-service-token': '' });
    expect([response.status, await response.json()]).toEqual([200, { access_token: 'session' }]);
    expect(response.headers.get('set-cookie')).toBeNull();
  }
});

test("an answer carries the caller's request id if it is well-formed, else a new one", async () => {
  const own = await gateway.get('/api/v2/server', { headers: { 'x-request-id': 'ci-42.a_b' } });
  expect(own.headers.get('x-request-id')).toBe('ci-42.a_b');
  for (const bad of ['a b', 'x'.repeat(101), '<script>', '"']) {
    const response = await gateway.get('/api/v2/server', { headers: { 'x-request-id': bad } });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

const update = (ifMatch: string) =>
  gateway.send('PATCH', `/api/v2/envs/${id}`, { name: 'harbour' }, { 'if-match': ifMatch });

test('If-Match accepts the current tag, a list that contains it, and *', async () => {
  const etag = etagOf(envs, env) ?? '';
  for (const current of [etag, `"other", ${etag}`, '*']) expect((await update(current)).status).toBe(200);
});

test('If-Match refuses any other tag as stale', async () => {
  for (const stale of ['"other"', `W/${etagOf(envs, env)}`, 'ü', '']) {
    expect(await problemOf(await update(stale))).toMatchObject({ status: 412, code: 'stale' });
  }
});

test.for(Object.entries(errorCodes))(
  'an error of the owner keeps its code, status and message: %s %i',
  async ([code, status]) => {
    const errors = [{ path: 'body.name', message: 'is taken' }];
    if (!isErrorCode(code)) throw new Error('not an error code');
    refusal = new AppError(code, 'The harbour exists', { errors });
    expect(await problemOf(await gateway.get('/api/v2/envs?name=x'))).toMatchObject({
      status,
      code,
      detail: 'The harbour exists',
      errors,
    });
  },
);

test('a bug of the owner is sent and logged without its message', async () => {
  refusal = new Error(`select * from secrets where contents = '${canary}' at postgres://berth:${canary}@db`);
  const response = await gateway.get('/api/v2/envs?name=x');
  const text = await response.clone().text();
  expect(await problemOf(response)).toMatchObject({ status: 500, code: 'internal' });
  expect(text).not.toContain(canary);
  expect(text).not.toMatch(/select|postgres|at .*\.ts/);
  expect(JSON.stringify(gateway.logged())).not.toContain(canary);
});
