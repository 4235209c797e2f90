import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, expect, test } from 'vitest';
import { chartYaml } from '../../test/tgz.ts';
import { createChartParser } from './chart-parser.ts';

const parser = createChartParser({ timeoutMs: 1_000 });
afterAll(() => parser[Symbol.asyncDispose]());

const files = (texts: Record<string, string>) => new Map(Object.entries(texts));

test('parses one chart after the other', async () => {
  const outcomes = await Promise.all([
    parser.parse(files({ 'Chart.yaml': chartYaml() })),
    parser.parse(files({})),
    parser.parse(files({ 'Chart.yaml': chartYaml({ version: '2.0.0' }) })),
  ]);

  expect(outcomes).toMatchObject([
    { chart: { metadata: { version: '1.2.3' }, error: null }, settled: true },
    { chart: { metadata: null, error: 'Chart.yaml: is missing' }, settled: true },
    { chart: { metadata: { version: '2.0.0' }, error: null }, settled: true },
  ]);
});

test('gives up on YAML that takes minutes, keeps the main thread free and parses the next chart', async () => {
  const hostile = parser.parse(files({ 'Chart.yaml': '&a '.repeat(300_000) }));
  const next = parser.parse(files({ 'Chart.yaml': chartYaml() }));
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();

  expect(await hostile).toMatchObject({
    chart: { error: expect.stringMatching(/take (longer than|more memory)/) },
    settled: false,
  });
  expect(await next).toMatchObject({ chart: { error: null }, settled: true });

  delays.disable();
  expect(delays.max / 1e6).toBeLessThan(500);
});

test('gives up on YAML that fills the heap, and lives on', async () => {
  await using patient = createChartParser({ timeoutMs: 60_000 });

  const hostile = await patient.parse(files({ 'Chart.yaml': '&a '.repeat(300_000) }));

  expect(hostile).toMatchObject({
    chart: { error: expect.stringContaining('more memory than they may') },
    settled: false,
  });
  expect(await patient.parse(files({ 'Chart.yaml': chartYaml() }))).toMatchObject({ chart: { error: null } });
});
