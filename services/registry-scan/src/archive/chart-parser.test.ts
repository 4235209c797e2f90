import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { cpuMsSince } from '@berth/testing/cpu-ms-since';
import { afterAll, expect, test } from 'vitest';
import { chartTgz, chartYaml, tarHeader, tarOf } from '@berth/chart-archive/testing/tgz';
import { createChartParser } from './chart-parser.ts';

const parser = createChartParser({ timeoutMs: 60_000, heapMb: 48 });
const impatient = createChartParser({ timeoutMs: 1_000, starvedAfterMs: 60_000 });
afterAll(() => Promise.all([parser, impatient].map((one) => one[Symbol.asyncDispose]())));

const of = (owner: string) => ({ owner, signal: new AbortController().signal });

const children = () => readFileSync('/proc/thread-self/children', 'utf8').split(' ').map(Number).filter(Boolean);

const hostileYaml = () => chartTgz({ 'Chart.yaml': '&a '.repeat(300_000) });

/** Slow to read: the first header has half a million keys, and each later header gets a copy of them. */
async function hostileHeaders(): Promise<Buffer> {
  const chart = await tarOf([{ name: 'web/Chart.yaml', body: chartYaml() }]);
  const comment = tarHeader('x', `1024 comment=${'c'.repeat(1024 - 14)}\n`);
  const records = Array.from({ length: 520_000 }, (_, key) => `8 ${key.toString(36).padStart(4, '0')}=\n`).join('');
  return gzipSync(Buffer.concat([tarHeader('g', records), ...Array(40).fill(comment), chart]));
}

test('the chart parser parses charts', async () => {
  const outcomes = await Promise.all([
    parser.parse(await chartTgz({ 'Chart.yaml': chartYaml() }), of('a')),
    parser.parse(await chartTgz({ 'README.md': '' }), of('a')),
    parser.parse(await chartTgz({ 'Chart.yaml': chartYaml({ version: '2.0.0' }) }), of('a')),
    parser.parse(Buffer.from('hello'), of('a')),
  ]);

  expect(outcomes).toMatchObject([
    { metadata: { version: '1.2.3' }, error: null },
    { metadata: null, error: 'Chart.yaml: is missing' },
    { metadata: { version: '2.0.0' }, error: null },
    { metadata: null, error: expect.stringContaining('not a gzipped tar file') },
  ]);
});

test.for([
  ['YAML that takes minutes', hostileYaml],
  ['headers of a tar file that take seconds', hostileHeaders],
] as const)(
  'the chart parser gives up on %s, keeps the main thread free and parses the next chart',
  async ([, archive]) => {
    const packages = { hostile: await archive(), next: await chartTgz({ 'Chart.yaml': chartYaml() }) };
    const hostile = impatient.parse(packages.hostile, of('a'));
    const next = impatient.parse(packages.next, of('a'));
    const before = process.threadCpuUsage();

    expect(await hostile).toMatchObject({ error: expect.stringMatching(/take (longer than|more memory)/) });
    expect(cpuMsSince(before)).toBeLessThan(500);
    expect(await next).toMatchObject({ error: null });
  },
);

test.runIf(process.platform === 'linux')(
  'a chart that a busy machine did not parse in time is not broken: it is parsed again',
  async () => {
    await using starved = createChartParser({ starvedAfterMs: 2_000 });
    const archive = await chartTgz({ 'Chart.yaml': chartYaml() });
    const others = new Set(children());
    const isParsed = () =>
      starved.parse(archive, of('a')).then(
        ({ error }) => error === null,
        () => false,
      );
    // A busy machine takes long to start a parser.
    await expect.poll(isParsed).toBe(true);
    const own = children().filter((pid) => !others.has(pid));
    for (const pid of own) process.kill(pid, 'SIGSTOP');

    await expect(starved.parse(archive, of('a'))).rejects.toMatchObject({ refusal: 'busy' });
    expect(await parser.parse(archive, of('a'))).toMatchObject({ error: null });
  },
);

test('a repository whose charts keep the chart parser busy does not hold up the charts of others', async () => {
  const packages = { hostile: await hostileYaml(), next: await chartTgz({ 'Chart.yaml': chartYaml() }) };
  const order: string[] = [];
  const parse = async (owner: string, archive: Buffer) => {
    await impatient.parse(archive, of(owner));
    order.push(owner);
  };

  await Promise.all([
    ...['a', 'a'].map((owner) => parse(owner, packages.hostile)),
    ...['b', 'c', 'd'].map((owner) => parse(owner, packages.next)),
  ]);

  expect(order.slice(0, 3)).toEqual(['b', 'c', 'd']);
});

test('the chart parser gives up on YAML that fills the heap, and parses the next chart', async () => {
  const hostile = await parser.parse(await hostileYaml(), of('a'));

  expect(hostile).toMatchObject({ error: expect.stringContaining('more memory than is allowed') });
  const next = await chartTgz({ 'Chart.yaml': chartYaml() });
  expect(await parser.parse(next, of('a'))).toMatchObject({ error: null });
});
