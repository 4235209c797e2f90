import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, testAuth, type TestGateway } from '../support/start-test-gateway.ts';

const consoleOrigin = 'https://console.example.test';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ allowedOrigins: [consoleOrigin] });
  await gateway.serve('auth', testAuth());
});
afterAll(() => gateway[Symbol.asyncDispose]());

const preflight = (origin: string) =>
  fetch(`${gateway.url}/api/v2/envs`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-service-token' },
  });

describe('a page of an allowed origin', () => {
  test('may send each method with credentials in headers, and never cookies', async () => {
    const { status, headers } = await preflight(consoleOrigin);

    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(consoleOrigin);
    expect(headers.get('access-control-allow-methods')).toContain('PUT');
    expect(headers.get('access-control-allow-headers')).toContain('x-service-token');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toBe('origin');
  });

  test('may read answers and refusals, with their ETag and request id', async () => {
    const { status, headers } = await gateway.get('/api/v2/envs', { headers: { origin: consoleOrigin } });

    expect(status).toBe(401);
    expect(headers.get('access-control-allow-origin')).toBe(consoleOrigin);
    expect(headers.get('access-control-expose-headers')).toBe(
      'allow, berth-task-count, berth-task-ids, etag, ratelimit, ratelimit-policy, retry-after, x-request-id',
    );
  });
});

test.for(['https://console.example.test.evil.test', 'http://console.example.test', 'null'])(
  'a page of %s may not, since that origin is not allowed',
  async (origin) => {
    const { status, headers } = await preflight(origin);

    expect(status).toBe(405);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  },
);
