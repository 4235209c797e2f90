import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createApiClient } from './api-client.ts';

interface Answer {
  status: number;
  retryAfter?: string;
}

let server: Server;
let url: string;
/** One after the other; the last one again and again. */
let answers: Answer[];
let requests: IncomingMessage[];
let said: string[];

beforeEach(async () => {
  [answers, requests, said] = [[], [], []];
  server = createServer((request, response) => {
    requests.push(request);
    const { status, retryAfter } = (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 500 };
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    });
    response.end(JSON.stringify({ status, code: 'unavailable', detail: 'Too much to do right now', name: 'demo' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const Env = z.object({ name: z.string() });
const busy: Answer = { status: 503, retryAfter: '0' };
const client = (withinMs?: number) =>
  createApiClient({
    url,
    credential: { header: 'x-service-token', value: 'token' },
    signal: AbortSignal.timeout(30_000),
    ...(withinMs !== undefined && { patience: { withinMs, say: (words) => void said.push(words) } }),
  });

test('a client with patience asks again while the platform says that it will be back, and says so once', async () => {
  answers = [busy, busy, { status: 429, retryAfter: '0' }, { status: 200 }];

  await expect(client(60_000).get('/envs', Env)).resolves.toEqual({ name: 'demo' });
  expect(requests).toHaveLength(4);
  expect(said).toEqual([
    'GET /envs answered 503; waiting for the platform, 60 s at most',
    'GET /envs answered 429; waiting for the platform, 60 s at most',
  ]);
});

test('a creation that is asked for again carries the same Idempotency-Key', async () => {
  answers = [busy, { status: 201 }];

  await client(60_000).send('POST', '/envs', { name: 'demo' }, Env);
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
});

test('patience ends, with the words of the last answer', async () => {
  answers = [busy];

  await expect(client(250).get('/envs', Env)).rejects.toThrow('GET /envs answered 503: Too much to do right now');
});

test.for([
  ['a 503 that does not say when to come back', { status: 503 }],
  ['a wait that is longer than the patience', { status: 503, retryAfter: '120' }],
  ['another failure', { status: 500, retryAfter: '0' }],
] as const)('%s is the answer at once', async ([, answer]) => {
  answers = [answer];

  await expect(client(60_000).get('/envs', Env)).rejects.toThrow(`answered ${answer.status}`);
  expect(requests).toHaveLength(1);
});

test('without patience the first 503 is the answer', async () => {
  answers = [busy, { status: 200 }];

  await expect(client().get('/envs', Env)).rejects.toThrow('answered 503');
});
