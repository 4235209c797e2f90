import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { currentTraceparent, inTraceOf } from '@berth/service/trace-context';
import { boat, boatHandlers, boats } from '@berth/testing/boats';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../bus.ts';
import { implement } from './implement.ts';

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });

let nats: TestNats;
let auth: Bus;
let tasks: Bus;

beforeAll(async () => {
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  nats = await startTestNats({ resources: [boats] });
  [auth, tasks] = await Promise.all([connectTestBus(nats, 'auth'), connectTestBus(nats, 'tasks')]);
  auth.serve(implement(boats, boatHandlers({ aborts: 0 })));
  await auth.listening();
});

afterAll(async () => {
  await Promise.all([auth, tasks].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
  trace.disable();
  context.disable();
  propagation.disable();
});

beforeEach(() => exporter.reset());

const traces = () => new Set(exporter.getFinishedSpans().map((span) => span.spanContext().traceId));

test('a call and its answer belong to the trace of the caller', async () => {
  await trace.getTracer('test').startActiveSpan('request', async (span) => {
    await tasks.call(boats.operations.echo, { body: { text: '' } });
    span.end();
  });

  await expect.poll(() => exporter.getFinishedSpans().length).toBe(3);
  expect(traces().size).toBe(1);
});

test('applying a change in a follower belongs to the trace of the change', async () => {
  await auth.state.ensureStream();
  const traceparent = await trace.getTracer('test').startActiveSpan('change', async (span) => {
    span.end();
    return currentTraceparent();
  });
  const end = new AbortController();
  let applied: string | null = null;
  const following = tasks.state.follow(boats, {
    signal: end.signal,
    async apply() {
      applied = currentTraceparent();
    },
  });

  const change = { resource: 'boats', id: 'a', version: 1, env_id: null, operation: 'INSERT', row: boat } as const;
  await auth.state.publish({ ...change, traceparent: traceparent ?? undefined });

  await expect.poll(() => applied).not.toBeNull();
  expect(String(applied).split('-')[1]).toBe(String(traceparent).split('-')[1]);
  end.abort();
  await following;
});

test.for([null, 'nonsense', '00-00000000000000000000000000000000-0000000000000000-01'])(
  'work with the traceparent %s starts a trace of its own',
  async (traceparent) => {
    const own = await inTraceOf(traceparent, 'work', async () => currentTraceparent());

    expect(own).toMatch(/^00-(?!0{32})[0-9a-f]{32}-/);
  },
);
