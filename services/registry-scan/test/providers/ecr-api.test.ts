import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { freePort } from '@berth/testing/network/free-port';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEcrApi, type EcrApi } from '../../src/providers/ecr/ecr-api.ts';

const minute = 60_000;
const action = 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken';
let server: Server;
let api: EcrApi;
let tokens: number;
/** How long the next token lasts. */
let lastsMs: number;
let status: number;
/** The body of an answer other than 200. */
let failure: { __type: string; message?: string };

/** Answers as ECR documents them, for what the stand-in lacks: its tokens do not end, and it refuses nobody. */
beforeEach(async () => {
  [tokens, lastsMs, status] = [0, 12 * 60 * minute, 200];
  failure = { __type: 'ServerException' };
  server = createServer((request, response) => {
    tokens += 1;
    const authorizationToken = Buffer.from(`AWS:token-${tokens}`).toString('base64');
    const expiresAt = (Date.now() + lastsMs) / 1000;
    const answer = { authorizationData: [{ authorizationToken, expiresAt, proxyEndpoint: 'https://x.example' }] };
    response.writeHead(request.headers['x-amz-target'] === action ? status : 400, {
      'content-type': 'application/x-amz-json-1.1',
    });
    response.end(JSON.stringify(status === 200 ? answer : failure));
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  api = createEcrApi({ account: '123456789012', region: 'eu-west-1' }, () => undefined);
});
afterEach(async () => {
  api[Symbol.dispose]();
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const passwords = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, () => api.credentials()))).map(({ password }) => password);

test('one token of ECR serves all requests', async () => {
  expect(await passwords(3)).toEqual(['token-1', 'token-1', 'token-1']);
  expect(await passwords(1)).toEqual(['token-1']);
});

test('a token of ECR is renewed within its last half hour', async () => {
  lastsMs = 29 * minute;
  expect(await passwords(1)).toEqual(['token-1']);
  lastsMs = 31 * minute;

  expect(await passwords(1)).toEqual(['token-2']);
  expect(await passwords(1)).toEqual(['token-2']);
});

test('a token of ECR serves until it ends while its API fails', async () => {
  lastsMs = 29 * minute;
  await passwords(1);
  status = 500;

  expect(await passwords(1)).toEqual(['token-1']);
});

test('a token of ECR that has ended serves nothing', async () => {
  lastsMs = -minute;
  await passwords(1);
  status = 500;

  await expect(passwords(1)).rejects.toMatchObject({ reason: 'unavailable' });
});

test.for([
  ['limits requests', 400, 'ThrottlingException', 'unavailable'],
  ['has an error of its own', 500, 'ServerException', 'unavailable'],
  ['refuses a right', 400, 'AccessDeniedException', 'denied'],
  ['does not know the identity', 403, 'UnrecognizedClientException', 'denied'],
] as const)('an API of ECR that %s says so without naming the identity', async ([, answered, type, reason]) => {
  [status, failure] = [answered, { __type: type, message: 'User arn:aws:iam::123456789012:user/somebody' }];

  await expect(passwords(1)).rejects.toMatchObject({
    reason,
    message: `ECR of 123456789012 in eu-west-1: ${type}`,
  });
});
