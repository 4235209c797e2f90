import { once } from 'node:events';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { etagOf } from '@berth/bus/rpc/etag';
import { envs } from '@berth/contracts/resources/envs/envs';
import { logins } from '@berth/contracts/resources/accounts/logins';
import { AppError } from '@berth/contracts/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { some, startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

const id = '0b8a6b0e-0000-4000-8000-000000000001';
const env = {
  id,
  created_at: '2026-01-02T03:04:05.678Z',
  name: `harbour ${'of Hull '.repeat(11)}`,
  node_selector: null,
  tolerations: null,
  auto_add_new_users: false,
};
const pageOf = (size: number) => ({
  page: 1,
  per_page: size,
  items: Array.from({ length: size }, () => env),
  num_total: size,
});
const longUrl = `https://idp.example.test/?${'x'.repeat(10_000)}`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ compressFromBytes: 4_000, allowedOrigins: ['https://console.example.test'] });
  await gateway.serve(
    'auth',
    testAuth(),
    some(envs, {
      list: async ({ query }) => {
        if (query.name !== undefined) throw new AppError('conflict', 'x'.repeat(10_000));
        return pageOf(query.per_page ?? 50);
      },
      get: async () => ({ ...env, name: 'x'.repeat(10_000) }),
    }),
    some(logins, { start: async () => ({ redirect_url: longUrl, state: 'state' }) }),
  );
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** The bytes as received; `fetch` would decompress them. */
async function get(
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }> {
  const sent = httpRequest(`${gateway.url}${path}`, {
    method,
    headers: { 'x-service-token': 'siteAdmin', ...headers },
  });
  sent.end();
  const [response] = await once(sent, 'response');
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) };
}

const list = '/api/v2/envs?per_page=50';
const json = JSON.stringify(pageOf(50));

test.for([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('a list is compressed with %s for a client that accepts it', async ([encoding, decompress]) => {
  const { headers, body } = await get(list, { 'accept-encoding': encoding });

  expect(headers).toMatchObject({
    'content-encoding': encoding,
    'content-length': String(body.length),
    'content-type': 'application/json; charset=utf-8',
    vary: 'origin, accept-encoding',
  });
  expect(headers).not.toHaveProperty('etag');
  expect(body.length).toBeLessThan(json.length / 4);
  expect(decompress(body).toString()).toBe(json);

  const head = await get(list, { 'accept-encoding': encoding }, 'HEAD');
  expect(head.headers).toMatchObject({ 'content-encoding': encoding, 'content-length': String(body.length) });
});

test('a list is sent uncompressed if it is small or the client does not accept compression', async () => {
  for (const [path, accepted] of [
    [list, {}],
    [list, { 'accept-encoding': 'gzip;q=0, zstd' }],
    ['/api/v2/envs?per_page=2', { 'accept-encoding': 'gzip' }],
  ] as const) {
    const { headers, body } = await get(path, accepted);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).toMatchObject({ vary: 'origin, accept-encoding' });
    expect(JSON.parse(body.toString())).toMatchObject({ items: expect.any(Array) });
  }
});

test('a row with its ETag, a problem, an answer without a credential and a stream of events are not compressed', async () => {
  const accepted = { 'accept-encoding': 'gzip, br' };

  const row = await get(`/api/v2/envs/${id}`, accepted);
  expect(row.headers.etag).toBe(etagOf(envs, { ...env, name: 'x'.repeat(10_000) }));
  const problem = await get('/api/v2/envs?name=x', accepted);
  expect(problem.status).toBe(409);
  const login = await get('/api/v2/auth/idp', accepted);
  expect(JSON.parse(login.body.toString())).toMatchObject({ redirect_url: longUrl });
  const stream = await get('/api/v2/events', accepted, 'HEAD');
  expect(stream.status).toBe(200);
  for (const { headers } of [row, problem, login, stream]) expect(headers).not.toHaveProperty('content-encoding');
});

test('fetch, which the typed client uses, reads a compressed list', async () => {
  const response = await gateway.get(list);

  expect(response.headers.get('content-encoding')).toMatch(/^(?:br|gzip)$/);
  expect(await response.json()).toEqual(pageOf(50));
});
