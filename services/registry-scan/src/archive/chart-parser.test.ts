import { gzipSync } from 'node:zlib';
import { cpuMsSince } from '@berth/testing/cpu-ms-since';
import { afterAll, expect, test } from 'vitest';
import { chartTgz, chartYaml, tarHeader, tarOf } from '../../test/support/tgz.ts';
import { createChartParser } from './chart-parser.ts';

const parser = createChartParser({ timeoutMs: 60_000 });
const impatient = createChartParser({ timeoutMs: 1_000 });
afterAll(() => Promise.all([parser, impatient].map((one) => one[Symbol.asyncDispose]())));

const hostileYaml = () => chartTgz({ 'Chart.yaml': '&a '.repeat(300_000) });

/** Each later header of the file gets a copy of the first one's half a million keys. */
async function hostileHeaders(): Promise<Buffer> {
  const chart = await tarOf([{ name: 'web/Chart.yaml', body: chartYaml() }]);
  const comment = tarHeader('x', `1024 comment=${'c'.repeat(1024 - 14)}\n`);
  const records = Array.from({ length: 520_000 }, (_, key) => `8 ${key.toString(36).padStart(4, '0')}=\n`).join('');
  return gzipSync(Buffer.concat([tarHeader('g', records), ...Array(40).fill(comment), chart]));
}

test('the chart parser parses one chart after the other', async () => {
  const outcomes = await Promise.all([
    parser.parse(await chartTgz({ 'Chart.yaml': chartYaml() })),
    parser.parse(await chartTgz({ 'README.md': '' })),
    parser.parse(await chartTgz({ 'Chart.yaml': chartYaml({ version: '2.0.0' }) })),
    parser.parse(Buffer.from('hello')),
  ]);

  expect(outcomes).toMatchObject([
    { chart: { metadata: { version: '1.2.3' }, error: null }, isFinal: true },
    { chart: { metadata: null, error: 'Chart.yaml: is missing' }, isFinal: true },
    { chart: { metadata: { version: '2.0.0' }, error: null }, isFinal: true },
    { chart: { metadata: null, error: expect.stringContaining('not a gzipped tar file') }, isFinal: true },
  ]);
});

test.for([
  ['YAML that takes minutes', hostileYaml],
  ['headers of a tar file that take seconds', hostileHeaders],
] as const)(
  'the chart parser gives up on %s, keeps the main thread free and parses the next chart',
  async ([, archive]) => {
    const packages = { hostile: await archive(), next: await chartTgz({ 'Chart.yaml': chartYaml() }) };
    const hostile = impatient.parse(packages.hostile);
    const next = impatient.parse(packages.next);
    const before = process.threadCpuUsage();

    expect(await hostile).toMatchObject({
      chart: { error: expect.stringMatching(/take (longer than|more memory)/) },
      isFinal: false,
    });
    expect(cpuMsSince(before)).toBeLessThan(500);
    // On a busy machine the replacement of the hung process may start slowly, which gives a result that is not final.
    const parsed = async () => {
      const outcome = await next;
      return outcome.isFinal ? outcome : impatient.parse(packages.next);
    };
    await expect.poll(parsed).toMatchObject({ chart: { error: null }, isFinal: true });
  },
);

test('the chart parser gives up on YAML that fills the heap, and parses the next chart', async () => {
  const hostile = await parser.parse(await hostileYaml());

  expect(hostile).toMatchObject({
    chart: { error: expect.stringContaining('more memory than is allowed') },
    isFinal: false,
  });
  const next = await chartTgz({ 'Chart.yaml': chartYaml() });
  expect(await parser.parse(next)).toMatchObject({ chart: { error: null } });
});
