import { envs } from '@berth/contracts/resources/envs/envs';
import { signingKeys } from '@berth/contracts/resources/accounts/signing-keys';
import { sampleIdentities } from '@berth/testing/test-identities';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { some, startTestGateway, type TestGateway, testAuth } from './support/start-test-gateway.ts';

const id = '0b8a6b0e-0000-4000-8000-000000000001';
const exporter = new InMemorySpanExporter();

let gateway: TestGateway;
beforeAll(async () => {
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  gateway = await startTestGateway();
  await gateway.serve(
    'auth',
    testAuth(),
    some(signingKeys, { list: async () => ({ keys: [] }) }),
    some(envs, {
      update: () => Promise.reject(new Error('broken')),
      list: async () => ({ page: 1, per_page: 50, items: [], num_total: 0 }),
    }),
  );
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  trace.disable();
  context.disable();
  propagation.disable();
});

const linesOf = (requestId: string) =>
  gateway.logged().filter((line) => line['request_id'] === requestId && line['msg'] === 'request');

test('each request has one log line with caller, route, status and duration, but without credential and query', async () => {
  await gateway.get('/api/v2/envs?name=hidden-words', {
    headers: { authorization: 'Bearer siteAdmin', 'x-request-id': 'one' },
  });

  await expect.poll(() => linesOf('one')).toHaveLength(1);
  expect(linesOf('one')[0]).toMatchObject({
    level: 'info',
    method: 'GET',
    route: '/api/v2/envs',
    status: 200,
    ms: expect.any(Number),
    identity_kind: 'user',
    identity_id: sampleIdentities.siteAdmin.id,
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(JSON.stringify(gateway.logged())).not.toMatch(/hidden-words|Bearer|"siteAdmin/);
});

test('an unknown path does not appear in the log or the metrics', async () => {
  await gateway.get('/api/v2/made-up-4711', { headers: { 'x-request-id': 'two' } });
  await gateway.raw('GET /%ff HTTP/1.1\r\nhost: x\r\nx-request-id: three\r\nconnection: close\r\n\r\n');

  for (const [requestId, status] of [
    ['two', 404],
    ['three', 400],
  ] as const) {
    await expect.poll(() => linesOf(requestId)).toMatchObject([{ route: 'unknown', status }]);
  }
  expect(await gateway.metrics.metrics()).not.toContain('made-up');
});

test('probes are not logged', async () => {
  await gateway.get('/healthz', { headers: { 'x-request-id': 'probe' } });
  expect(linesOf('probe')).toEqual([]);
});

test('durations are counted by method, route and status, and no request stays in flight', async () => {
  await gateway.get(`/api/v2/envs/${id}`, { headers: {} });

  await expect
    .poll(() => gateway.metrics.metrics())
    .toContain('berth_http_request_seconds_count{method="GET",route="/api/v2/envs/:id",status="401"} 1');
  await expect.poll(() => gateway.metrics.metrics()).toContain('berth_http_in_flight 0');
});

test("the caller's trace continues through the gateway to the owner, with a body too", async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  exporter.reset();
  await gateway.send('PUT', `/api/v2/envs/${id}`, { name: 'x' }, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });

  const spans = () => exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
  await expect.poll(() => spans().map(({ name }) => name)).toContain('PUT /api/v2/envs/:id');
  const server = spans().find(({ name }) => name === 'PUT /api/v2/envs/:id');
  expect(server?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(server?.attributes).toMatchObject({ 'http.route': '/api/v2/envs/:id', 'http.response.status_code': 500 });
  const children = spans().filter(
    ({ parentSpanContext }) => parentSpanContext?.spanId === server?.spanContext().spanId,
  );
  expect(children.map(({ name }) => name).toSorted()).toEqual(['envs.update', 'identities.authenticate']);
  // The other two spans are those of auth and the owner.
  expect(spans()).toHaveLength(5);
});
