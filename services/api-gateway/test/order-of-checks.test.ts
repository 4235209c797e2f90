import { envs } from '@berth/contracts/resources/envs/envs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemOf } from './support/problem-of.ts';
import { sampleEnv } from './support/sample-env.ts';
import { some, startTestGateway, type TestGateway, testAuth } from './support/start-test-gateway.ts';

const env = sampleEnv;
const { id } = env;

let gateway: TestGateway;
const received: unknown[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve(
    'auth',
    testAuth(new Set(['siteAdmin', 'outsider'])),
    some(envs, {
      list: async (request) => {
        received.push(request);
        return { page: 1, per_page: 50, items: [], num_total: 0 };
      },
      create: async (_request, { repeatable }) => {
        repeatable();
        return env;
      },
      update: async (request, { permit, checkIfMatch }) => {
        received.push(request);
        permit({ ...env, env_id: id });
        checkIfMatch(env);
        return env;
      },
      get: async () => env,
    }),
  );
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** This request fails all later checks as well. */
const wrong = { method: 'POST', body: 'x'.repeat(100), headers: { 'content-type': 'text/plain' } };

describe('the first failing check decides', () => {
  test('route: an unknown path is 404, whatever else is wrong', async () => {
    for (const path of ['/api/v2/nothing', '/api/v2//envs', '/api/v2/ENVS', `/api/v2/envs/${id}/more`, '/api']) {
      const response = await fetch(`${gateway.url}${path}`, wrong);
      expect(response.status).toBe(404);
      expect(await problemOf(response)).toMatchObject({ code: 'not_found' });
    }
  });

  test.for([
    ['DELETE', '/api/v2/envs', 'GET, POST, HEAD'],
    ['POST', `/api/v2/envs/${id}`, 'GET, PUT, PATCH, DELETE, HEAD'],
    ['POST', '/api/v2/envs/no-uuid', 'GET, PUT, PATCH, DELETE, HEAD'],
    ['OPTIONS', `/api/v2/envs/${id}`, 'GET, PUT, PATCH, DELETE, HEAD'],
    ['PROPFIND', '/api/v2/envs', 'GET, POST, HEAD'],
    ['PUT', '/api/v2/users/me', 'GET, HEAD'],
    ['GET', `/api/v2/deployment-tasks/${id}/retry`, 'POST'],
    ['POST', `/api/v2/deployment-tasks/${id}/log`, 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['PUT', '/auth/idp/callback', 'GET, POST, HEAD'],
    ['DELETE', '/console/assets/berth.js', 'GET, HEAD'],
  ] as const)('method: %s %s is answered 405 with Allow: %s', async ([method, path, allow]) => {
    const response = await fetch(`${gateway.url}${path}`, { method });
    expect(response.headers.get('allow')).toBe(allow);
    expect(await problemOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  test('method: HEAD without GET is answered 405, TRACE everywhere', async () => {
    const head = await fetch(`${gateway.url}/api/v2/deployment-tasks/${id}/retry`, { method: 'HEAD' });
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'POST']);
    const trace = await gateway.raw('TRACE /api/v2/envs HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(trace).toMatch(/^HTTP\/1.1 405 .*allow: GET, POST, HEAD/s);
  });

  test('credential: it is checked before the body', async () => {
    const response = await fetch(`${gateway.url}/api/v2/envs?nope=1`, wrong);
    expect(await problemOf(response)).toMatchObject({ status: 401, code: 'unauthenticated' });
  });

  test('credential: if its user is inactive, the answer is 401', async () => {
    const response = await gateway.get('/api/v2/envs', { headers: { 'x-service-token': 'envUser' } });
    expect(await problemOf(response)).toMatchObject({ status: 401, code: 'user_inactive' });
  });

  test('media type: it is checked before the size', async () => {
    const headers = { 'content-type': 'text/plain' };
    const response = await gateway.send('POST', '/api/v2/envs?nope=1', 'x'.repeat(2_000_000), headers);
    expect(await problemOf(response)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  test('size: it is checked before the shape', async () => {
    const response = await gateway.send('POST', '/api/v2/envs?nope=1', `{"name":"${'x'.repeat(1_100_000)}"}`);
    expect(await problemOf(response)).toMatchObject({ status: 413, code: 'too_large' });
  });

  test.for([
    ['POST', '/api/v2/auth/idp/callback', 'without a credential'],
    ['POST', '/auth/idp/callback', 'its alias'],
    ['DELETE', `/api/v2/deployments/${id}`, 'without a body'],
  ] as const)('size: more than 16 KiB is refused at %s %s, an operation %s', async ([method, path]) => {
    const body = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
    const tooLarge = await gateway.send(method, path, body(16 * 1024 + 1));
    expect(await problemOf(tooLarge)).toMatchObject({ status: 413, detail: 'The body must not be larger than 16 KiB' });
    expect(await problemOf(await gateway.send(method, path, body(16 * 1024)))).toMatchObject({ status: 400 });
  });

  test('permission that no row could give: it is checked before media type, size and shape', async () => {
    const outsider = { 'x-service-token': 'outsider' };
    for (const [body, headers] of [
      [{ name: '' }],
      ['x'.repeat(2_000_000)],
      ['<env/>', { 'content-type': 'text/xml' }],
      [{ name: 'x' }],
    ] as const) {
      const refused = await gateway.send('POST', '/api/v2/envs', body, { ...outsider, ...headers });
      expect(await problemOf(refused)).toMatchObject({ status: 403, code: 'forbidden' });
    }
  });

  test('shape: it is checked before a permission that depends on the row', async () => {
    const malformed = await gateway.send('PUT', `/api/v2/envs/${id}`, { name: '' });
    expect(await problemOf(malformed)).toMatchObject({ status: 400, code: 'invalid', errors: [{ path: 'body.name' }] });
  });
});

describe('credentials', () => {
  test.for([
    ['none', {}],
    ['an empty one', { 'x-service-token': '' }],
    ['an unknown one', { 'x-service-token': 'a.b' }],
    ['one of 10 kB', { 'x-service-token': 'x'.repeat(10_000) }],
    ['a bearer token of 10 kB', { authorization: `Bearer ${'x'.repeat(10_000)}` }],
    ['another scheme', { authorization: 'Basic c2l0ZUFkbWluOng=' }],
    ['a bearer token with a space', { authorization: 'Bearer site Admin' }],
    [
      'a bad x-service-token beside a good bearer token',
      { 'x-service-token': 'no', authorization: 'Bearer siteAdmin' },
    ],
  ] as const)('a missing or invalid credential is refused with the same message: %s', async ([, headers]) => {
    const { request_id: _, ...problem } = await problemOf(await gateway.get('/api/v2/envs', { headers }));
    expect(problem).toEqual({
      type: 'urn:berth:error:unauthenticated',
      title: 'Unauthorized',
      status: 401,
      detail: 'The credential is missing or not valid',
      message: 'The credential is missing or not valid',
      code: 'unauthenticated',
    });
  });

  test('both kinds of credentials are accepted, and x-service-token wins', async () => {
    for (const headers of [
      { authorization: 'bearer siteAdmin' },
      { 'x-service-token': 'siteAdmin', authorization: 'Bearer nobody' },
    ]) {
      expect((await gateway.get('/api/v2/envs', { headers })).status).toBe(200);
    }
  });
});

describe('media types', () => {
  test.for([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json; charset=utf-16'],
    ['application/jsonp'],
    ['nonsense'],
  ])('a body of the media type %s is refused', async ([type = '']) => {
    const response = await gateway.send('POST', '/api/v2/envs', '{"name":"x"}', { 'content-type': type });
    expect(await problemOf(response)).toMatchObject({ status: 415 });
  });

  test('a compressed body, or one without any media type, is refused', async () => {
    const zipped = await gateway.send('POST', '/api/v2/envs', '{"name":"x"}', { 'content-encoding': 'gzip' });
    expect(await problemOf(zipped)).toMatchObject({ status: 415 });
    const bytes = new TextEncoder().encode('{"name":"x"}');
    const headers = { 'x-service-token': 'siteAdmin' };
    const untyped = await fetch(`${gateway.url}/api/v2/envs`, { method: 'POST', body: bytes, headers });
    expect(await problemOf(untyped)).toMatchObject({ status: 415 });
  });

  test('all spellings of the media type of JSON are accepted', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"']) {
      const response = await gateway.send('POST', '/api/v2/envs', '{"name":"x"}', { 'content-type': type });
      expect(response.status).toBe(201);
    }
  });

  test('the media type of a request without a body is ignored', async () => {
    for (const type of [undefined, 'text/plain', 'application/json']) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const response = await gateway.send('PUT', `/api/v2/envs/${id}`, undefined, headers);
      expect(response.status).toBe(200);
      expect(received.at(-1)).toEqual({ id, body: {} });
    }
  });
});

describe('shape', () => {
  test.for([
    ['text', 'no-uuid'],
    ['one digit short', '0b8a6b0e-0000-4000-8000-00000000000'],
    ['in braces', '%7B0b8a6b0e-0000-4000-8000-000000000001%7D'],
    ['a parent directory', '..%2f..%2fetc'],
    ['NUL', '%00'],
    ['longer than any id', 'x'.repeat(300)],
    ['of 10,000 characters', 'x'.repeat(10_000)],
    ['empty', ''],
  ])('an id that is not a UUID is not found: %s', async ([, bad]) => {
    expect(await problemOf(await gateway.get(`/api/v2/envs/${bad}`))).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('an id may be in upper case', async () => {
    expect((await gateway.get(`/api/v2/envs/${id.toUpperCase()}`)).status).toBe(200);
  });

  test.for([
    ['nope=1', 'query.nope'],
    ['__proto__=1', 'query.__proto__'],
    ['page=0', 'query.page'],
    ['page=-1', 'query.page'],
    ['page=1.5', 'query.page'],
    ['per_page=101', 'query.per_page'],
    ['per_page=all', 'query.per_page'],
    ['page=1&page=2', 'query.page'],
    ['name=a&name=b', 'query.name'],
    ['name=%00', 'query.name'],
    ['sort=tolerations', 'query.sort'],
  ] as const)('a wrong query parameter is refused by name: %s', async ([query, path]) => {
    const problem = await problemOf(await gateway.get(`/api/v2/envs?${query}`));
    expect(problem).toMatchObject({ status: 400, code: 'invalid' });
    expect(problem.errors?.map((error) => error.path)).toContain(path);
  });

  test('query parameters are refused if the operation has none', async () => {
    expect(await problemOf(await gateway.get(`/api/v2/envs/${id}?a=1&b=2`))).toMatchObject({
      status: 400,
      errors: [{ path: 'query.a' }, { path: 'query.b' }],
    });
  });

  test.for([
    ['an unknown field', { name: 'x', id }, 'body.id'],
    ['a wrong type', { name: 7 }, 'body.name'],
    ['null as a body', 'null', 'body'],
    ['a list as a body', [], 'body'],
    ['NUL in text', '{"name":"a\\u0000"}', 'body.name'],
    ['a duplicate member', '{"name":"a","name":"b"}', 'body'],
    ['a prototype', '{"name":"a","__proto__":{}}', 'body'],
    ['text that is not JSON', '{', 'body'],
  ] as const)('a wrong body is refused with its path: %s', async ([, body, path]) => {
    const problem = await problemOf(await gateway.send('POST', '/api/v2/envs', body));
    expect(problem).toMatchObject({ status: 400, code: 'invalid', errors: [{ path }] });
  });

  test('a body is refused if the operation takes none, except an empty object', async () => {
    const path = `/api/v2/deployment-tasks/${id}/retry`;
    expect(await problemOf(await gateway.send('POST', path, { a: 1 }))).toMatchObject({ status: 400 });
    // Accepted by the gateway; the owner is not running.
    expect(await problemOf(await gateway.send('POST', path, {}))).toMatchObject({ status: 503 });
  });

  test('an owner receives the parsed query', async () => {
    await gateway.get('/api/v2/envs?name=a&per_page=7');
    expect(received.at(-1)).toMatchObject({ query: { name: 'a', per_page: 7 } });
  });
});
