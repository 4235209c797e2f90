import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../create-client.ts';

interface Reply {
  status: number;
  retryAfter?: string;
}

const busy: Reply = { status: 503, retryAfter: '0' };
const id = '6f1f3c0e-0b5f-4a1c-9d43-2f6a1b7f8c11';

let server: Server;
let baseUrl: string;
/** Sent in this order; the last one is repeated. */
let replies: Reply[];
let requests: IncomingMessage[];
let waits: string[];

beforeEach(async () => {
  [replies, requests, waits] = [[], [], []];
  server = createServer((request, response) => {
    requests.push(request);
    const { status, retryAfter } = (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 500 };
    const code = { 429: 'too_many_requests', 503: 'unavailable' }[status] ?? 'internal';
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    });
    response.end(JSON.stringify({ status, code, detail: 'Too much to do right now', name: 'demo' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const client = (patienceMs: number) =>
  createClient({
    baseUrl,
    credential: () => ({ token: 'token' }),
    signal: AbortSignal.timeout(30_000),
    patience: {
      ms: patienceMs,
      onWait: ({ request, status }, waitMs) => waits.push(`${request} ${status} ${waitMs}`),
    },
  });

describe('a client with patience', () => {
  test('repeats a read while the platform answers 503 or 429, and reports each wait', async () => {
    replies = [busy, { status: 429, retryAfter: '0' }, { status: 200 }];

    expect(await client(60_000).envs.list({ query: { name: 'demo' } })).toMatchObject({ value: { name: 'demo' } });
    expect(waits).toEqual(['GET /api/v2/envs 503 100', 'GET /api/v2/envs 429 100']);
  });

  test('repeats a creation with the same Idempotency-Key', async () => {
    replies = [busy, { status: 201 }];

    expect(await client(60_000).envs.create({ body: { name: 'demo' } })).toMatchObject({ ok: true });
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
  });

  test('repeats an update only if the call allows it', async () => {
    replies = [busy, busy, { status: 200 }];
    const { envs } = client(60_000);
    const request = { id, body: { name: 'demo' } };

    expect(await envs.update(request)).toMatchObject({ problem: { code: 'unavailable' } });
    expect(requests).toHaveLength(1);
    expect(await envs.update(request, { repeat: true })).toMatchObject({ ok: true });
    expect(requests).toHaveLength(3);
  });

  test('returns the last problem once its time is over', async () => {
    replies = [busy];

    expect(await client(3_000).envs.list()).toMatchObject({
      problem: { code: 'unavailable', request: 'GET /api/v2/envs', detail: 'Too much to do right now' },
    });
    expect(requests.length).toBeGreaterThan(1);
  });

  test.for([
    ['a wait longer than its patience', { status: 503, retryAfter: '120' }],
    ['another failure', { status: 500, retryAfter: '0' }],
  ] as const)('does not repeat after %s', async ([, reply]) => {
    replies = [reply];

    expect(await client(60_000).envs.list()).toMatchObject({ problem: { status: reply.status } });
    expect(requests).toHaveLength(1);
  });
});

test('a client without patience returns the first 503', async () => {
  replies = [busy, { status: 200 }];

  expect(await client(0).envs.list()).toMatchObject({ problem: { status: 503 } });
});
