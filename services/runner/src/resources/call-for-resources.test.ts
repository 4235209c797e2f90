import type { Bus } from '@berth/bus/bus';
import {
  type ResourceCall,
  type ResourceCallResult,
  resourceCalls,
} from '@berth/contracts/resources/tasks/resource-calls';
import { silentLog } from '@berth/testing/test-bus';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  everyNameHere,
  hostileAnswers,
  hurried,
  mostOfEndless,
  withWrongCertificate,
} from '../../test/support/hostile-answers.ts';
import { type HttpsDeployment, startHttpsDeployment } from '../../test/support/https-deployment.ts';
import { createDeploymentClient, type DeploymentClient } from '../calls/deployment-client.ts';
import { callForResources } from './call-for-resources.ts';

let deployment: HttpsDeployment;
beforeAll(async () => {
  deployment = await startHttpsDeployment();
});
afterAll(() => deployment[Symbol.asyncDispose]());

/** A stand-in for the service: hands out due calls and takes results. */
function startCalls(due: ResourceCall[], slots: number, as = (client: DeploymentClient) => client) {
  const results = new Map<string, Pick<ResourceCallResult, 'outcome' | 'reason'>>();
  const { port, ca } = deployment;
  const deployments = as(createDeploymentClient({ port, ca, allowAddresses: ['127.0.0.1'], resolve: everyNameHere }));
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
  const ended = callForResources({ bus, log: silentLog, deployments, metrics, slots })(stopping.signal);
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

test('calls for resources are made despite hostile deployments, and reasons do not show tokens or sensitive props', async () => {
  const answers = hostileAnswers(({ path }, response) =>
    path === '/gone' ? response.writeHead(410).end() : response.writeHead(201).end('thanks for swordfish'),
  );
  deployment.respond(answers.respond);
  const hostile = [
    callOf('silent', '/silent'),
    callOf('trickling', '/trickling'),
    callOf('redirecting', '/redirecting'),
    callOf('echoing', '/echoing'),
    callOf('huge', '/huge'),
    callOf('endless', '/endless'),
    callOf('other', '/good', { host: withWrongCertificate }),
  ];
  const good = Array.from({ length: 12 }, (_, n) => callOf(`good${n}`, '/good'));
  const gone = callOf('gone', '/gone', { method: 'DELETE', is_deletion: true });

  const results = startCalls([...hostile, gone, ...good], 8);

  await expect.poll(() => results.size).toBe(hostile.length - 1 + good.length);
  for (const { resource_id } of [...good, gone]) {
    expect(results.get(resource_id)).toEqual({ outcome: 'Done', reason: null });
  }
  expect([...results.keys()].filter((id) => id === 'silent' || id === 'trickling')).toEqual([]);
  expect(results.get('redirecting')).toEqual({
    outcome: 'Failed',
    reason: 'The deployment answered 307, and redirects are not followed',
  });
  expect(results.get('echoing')).toEqual({
    outcome: 'Failed',
    reason: 'The deployment answered 422: Bearer *** {"props":{"password":"***"}}',
  });
  for (const [id, letter] of Object.entries({ huge: 'y', endless: 'x' })) {
    expect(results.get(id)).toEqual({
      outcome: 'Retry',
      reason: `The deployment answered 500: ${letter.repeat(300)}`,
    });
  }
  expect(answers.endlessBytes()).toBeLessThan(mostOfEndless);
  expect(results.get('other')).toEqual({
    outcome: 'Retry',
    reason: `the certificate of ${withWrongCertificate} is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)`,
  });
  expect(deployment.calls.find(({ path }) => path === '/good')).toMatchObject({
    method: 'POST',
    body: '{"props":{"password":"swordfish"}}',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
});

test('a call for a resource that is not answered completely in time is repeated', async () => {
  deployment.respond(hostileAnswers(() => undefined).respond);

  const results = startCalls([callOf('silent', '/silent'), callOf('trickling', '/trickling')], 8, hurried);

  const late = { outcome: 'Retry', reason: '127.0.0.1 did not answer completely within 0.6 s' };
  await expect.poll(() => [results.get('silent'), results.get('trickling')]).toEqual([late, late]);
});
