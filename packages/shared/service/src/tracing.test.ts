import { once } from 'node:events';
import { createServer } from 'node:http';
import { trace } from '@opentelemetry/api';
import { startConnectProxy } from '@berth/testing/network/connect-proxy';
import { expect, onTestFinished, test } from 'vitest';
import { startTracing, wantsTraces } from './tracing.ts';

test('nothing is traced unless an endpoint is given', () => {
  expect(wantsTraces({})).toBe(false);
  expect(wantsTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBe(false);
  expect(wantsTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })).toBe(true);
});

test('spans reach the collector by the time the service ends', async () => {
  const received: string[] = [];
  const collector = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const address = collector.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${port}`;

  const tracing = await startTracing('sample', process.env);
  trace.getTracer('test').startSpan('work').end();
  await tracing[Symbol.asyncDispose]();

  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  collector.closeAllConnections();
  collector.close();
  expect(received).toEqual(['POST /v1/traces']);
});

test('spans for a collector outside go through the proxy', async () => {
  await using proxy = await startConnectProxy('403 Forbidden');
  const variables = {
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example:4318',
  };
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });

  const tracing = await startTracing('sample', process.env);
  trace.getTracer('test').startSpan('work').end();
  await expect(tracing[Symbol.asyncDispose]()).rejects.toThrow('the proxy answered 403');

  expect(proxy.tunnels[0]).toMatchObject({ target: 'collector.example:4318' });
});
