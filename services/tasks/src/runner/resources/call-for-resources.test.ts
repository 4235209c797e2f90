import type { Bus } from '@berth/shared/bus/bus';
import {
  type ResourceCall,
  type ResourceCallResult,
  resourceCalls,
} from '@berth/shared/contracts/resources/resource-calls';
import { silentLog } from '@berth/shared/testing/test-bus';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type HttpsDeployment, startHttpsDeployment } from '../../../test/support/https-deployment.ts';
import { createDeploymentClient } from '../calls/deployment-client.ts';
import { callForResources } from './call-for-resources.ts';

let deployment: HttpsDeployment;
beforeAll(async () => {
  deployment = await startHttpsDeployment();
});
afterAll(() => deployment[Symbol.asyncDispose]());

/** The side of the service: gives what is due and takes results. */
function startCalls(due: ResourceCall[], places: number) {
  const results = new Map<string, Pick<ResourceCallResult, 'outcome' | 'reason'>>();
  const { port, ca } = deployment;
  const deployments = createDeploymentClient({ port, ca, allowAddresses: ['127.0.0.1'] });
  const stopping = new AbortController();
  const call = async ({ name }: { name: string }, { body }: { body: never }) => {
    if (name === resourceCalls.operations.claim.name) {
      const { lane, places: most } = body as { lane: string; places: number };
      return { calls: lane === 'quick' ? due.splice(0, most) : [] };
    }
    for (const { resource_id, outcome, reason } of (body as { results: ResourceCallResult[] }).results) {
      results.set(resource_id, { outcome, reason });
    }
    return null;
  };
  const bus = { call } as unknown as Pick<Bus, 'call'>;
  const metrics = { calledForResource: () => undefined };
  const ended = callForResources({ bus, log: silentLog, deployments, metrics, places })(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await ended;
    deployments[Symbol.dispose]();
  });
  return results;
}

const token = 'eyJhbGciOi.eyJhdWQi.c2lnbmF0dXJl';
const callOf = (resource_id: string, path: string, fields: Partial<ResourceCall['call']> = {}): ResourceCall => ({
  resource_id,
  fence: 1,
  call: {
    host: '127.0.0.1',
    path,
    method: 'POST',
    body: '{"props":{"password":"swordfish"}}',
    token,
    hidden: ['swordfish', 'x'],
    is_deletion: false,
    ...fields,
  },
});

test('calls for resources are made while hostile deployments hang, flood and redirect, and no reason shows a token or a prop that is sensitive', async () => {
  deployment.respond(async ({ path, body, headers }, response) => {
    if (path === '/good') return response.writeHead(201).end('thanks for swordfish');
    if (path === '/redirect') return response.writeHead(307, { location: '/good' }).end();
    if (path === '/echo') return response.writeHead(422).end(`${headers.authorization} ${body}`);
    if (path === '/gone') return response.writeHead(410).end();
    if (path === '/flood') return response.writeHead(500).end('y'.repeat(1_000_000));
    return undefined;
  });
  const hostile = [
    callOf('hang', '/hang'),
    callOf('redirect', '/redirect'),
    callOf('echo', '/echo'),
    callOf('flood', '/flood'),
    callOf('other', '/good', { host: 'localhost.invalid' }),
  ];
  const good = Array.from({ length: 12 }, (_, n) => callOf(`good${n}`, '/good'));
  const gone = callOf('gone', '/gone', { method: 'DELETE', is_deletion: true });

  const results = startCalls([...hostile, gone, ...good], 8);

  await expect.poll(() => results.size, { timeout: 15_000 }).toBe(hostile.length + good.length);
  for (const { resource_id } of [...good, gone]) {
    expect(results.get(resource_id)).toEqual({ outcome: 'Done', reason: null });
  }
  expect(results.has('hang')).toBe(false);
  expect(results.get('redirect')).toEqual({
    outcome: 'Failed',
    reason: 'The deployment answered 307, and redirects are not followed',
  });
  expect(results.get('echo')).toEqual({
    outcome: 'Failed',
    reason: 'The deployment answered 422: Bearer *** {"props":{"password":"***"}}',
  });
  expect(results.get('flood')).toEqual({
    outcome: 'Retry',
    reason: `The deployment answered 500: ${'y'.repeat(300)}`,
  });
  expect(results.get('other')).toEqual({ outcome: 'Retry', reason: expect.stringContaining('localhost.invalid') });
  expect(deployment.calls.find(({ path }) => path === '/good')).toMatchObject({
    method: 'POST',
    body: '{"props":{"password":"swordfish"}}',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
}, 25_000);
