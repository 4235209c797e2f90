import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cpuMsSince } from '@berth/testing/cpu-ms-since';
import { describe, expect, test } from 'vitest';
import { indexOf } from '../../../test/support/index-text.ts';
import { readIndex } from './read-index.ts';

const base = new URL('https://charts.example.com/stable/');
const digest = `sha256:${'ab'.repeat(32)}`;
const package1 = { digest, url: 'https://charts.example.com/stable/web-1.0.0.tgz' };

async function* inPieces(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
/** The versions of each chart. */
async function read(text: string, pieceSize?: number) {
  const { index, skipped } = await readIndex(inPieces(text, pieceSize), { base });
  const charts = [...index].map(([chart, versions]) => [chart, Object.fromEntries(versions)]);
  return { charts: Object.fromEntries(charts), skipped };
}
const web = { version: '1.0.0', digest, urls: ['web-1.0.0.tgz'] };

describe('an index', () => {
  test('is read as Helm writes it, whatever the pieces in which it arrives', async () => {
    const text = indexOf({
      web: [web, { ...web, version: '1.1.0+build.5', urls: ['https://other.example.com/w.tgz'] }],
    });
    const expected = {
      web: { '1.0.0': package1, '1.1.0+build.5': { digest, url: 'https://other.example.com/w.tgz' } },
    };

    for (const size of [1, 7, 100_000]) expect(await read(text, size)).toEqual({ charts: expected, skipped: 0 });
  });

  test('is read from JSON', async () => {
    const text = JSON.stringify({
      apiVersion: 'v1',
      entries: { web: [{ ...web, digest: 'ab'.repeat(32) }], none: null },
    });

    expect(await read(text)).toEqual({ charts: { web: { '1.0.0': package1 }, none: {} }, skipped: 0 });
  });

  test('in JSON may lack a digest, and an entry is skipped whose digest is no text', async () => {
    const { version, urls } = web;
    const text = JSON.stringify({
      entries: {
        web: [
          { version, urls },
          { version: '2.0.0', urls, digest: 7 },
        ],
      },
    });

    expect(await read(text)).toEqual({ charts: { web: { '1.0.0': { ...package1, digest: null } } }, skipped: 1 });
  });

  test('may have no chart', async () => {
    expect(await read(indexOf({}))).toEqual({ charts: {}, skipped: 0 });
  });

  test.for<[string, string]>([
    ['lists that are indented deeper', '    urls:\n      - web-1.0.0.tgz\n    version: 1.0.0'],
    ['quoted texts', `    "urls": ['web-1.0.0.tgz']\n    'version': "1.0.0"`],
    ['texts with escapes', '    urls:\n    - "web-1.0\\u002e0.tgz"\n    version: "1.0\\x2e0"'],
    ['texts over several lines', '    urls:\n    - >-\n      web-1.0.0.tgz\n    version:\n      1.0.0'],
    [
      'a list on one line',
      `    urls: ["web-1.0.0.tgz", 'https://b.example/my-web - 1.tgz', c-d?e=f&g=h#i]\n    version: 1.0.0`,
    ],
    ['comments', '    urls: # where\n    # it is\n    - web-1.0.0.tgz # there\n    version: 1.0.0 # stable'],
    ['a version that YAML reads as a number elsewhere', '    urls: [web-1.0.0.tgz]\n    version: 1.0.0'],
    [
      'texts that look like fields or entries in other fields',
      '    description: |\n      version: 6.6.6\n      - digest: x\n\n      urls:\n    maintainers:\n    - version: 7\n      urls: [x]\n    urls:\n    - web-1.0.0.tgz\n    version: 1.0.0',
    ],
  ])('is read with %s', async ([, fields]) => {
    const text = `# made by hand\n---\nentries:\n  web:\n  - name: web\n    digest: ${'AB'.repeat(32)}\n${fields}\nother:\n  entries: x\n`;

    expect(await read(text)).toEqual({ charts: { web: { '1.0.0': package1 } }, skipped: 0 });
  });

  test('with lines that end as on Windows and a byte order mark is read', async () => {
    const text = `\uFEFF${indexOf({ web: [web] }).replaceAll('\n', '\r\n')}`;

    expect(await read(text)).toMatchObject({ charts: { web: { '1.0.0': package1 } } });
  });

  test.for<[string, object]>([
    ['without a version', { ...web, version: '' }],
    ['with a version that is no name', { ...web, version: '../1' }],
    ['without a URL', { ...web, urls: [] }],
    ['with a digest that is none', { ...web, digest: 'abc' }],
    ['with an alias in place of a digest', { ...web, digest: '*other' }],
    ['with a version that is a list', { ...web, version: '[1, 2]' }],
  ])('lacks an entry %s, and has the others', async ([, entry]) => {
    const { charts, skipped } = await read(
      indexOf({
        web: [
          { ...web, ...entry },
          { ...web, version: '2.0.0' },
        ],
      }),
    );

    expect({ versions: Object.keys(charts['web']), skipped }).toEqual({ versions: ['2.0.0'], skipped: 1 });
  });

  test('without a digest has none', async () => {
    const { charts } = await read(indexOf({ web: [{ ...web, digest: undefined }] }));

    expect(charts['web']['1.0.0'].digest).toBeNull();
  });

  test('keeps only the wanted charts', async () => {
    const text = indexOf({ web: [web], other: [web] });

    for (const whole of [text, JSON.stringify({ entries: { web: [web], other: [web] } })]) {
      const { index } = await readIndex(inPieces(whole), { base, only: ['web'] });
      expect([...index.keys()]).toEqual(['web']);
    }
  });

  // Each is three times as long once it is a URL.
  const longUrls = (count: number) =>
    Array.from({ length: count }, (_, at) => `  - version: ${at}\n    urls:\n    - a${'<'.repeat(1600)}\n`).join('');
  test.for<[string, string, RegExp]>([
    ['is the page of a proxy', '<html>\n<body>down</body>', /not a YAML document/],
    ['is empty', '', /no list of entries/],
    ['has no entries', 'apiVersion: v1\n', /no list of entries/],
    ['has two lists of entries', 'entries: {}\nentries: {}\n', /two lists of entries/],
    ['is another document after the first', `${indexOf({})}---\nentries: {}\n`, /not a YAML document/],
    ['is in flow style', 'entries: {web: [{version: 1}]}\n', /not in block style/],
    ['has charts in flow style', 'entries:\n  web: [{version: 1}]\n', /not in block style/],
    ['is indented by tabs', 'entries:\n\tweb:\n', /not a YAML document/],
    ['is an alias bomb', 'a: &a [x,x]\nentries: *a\n', /not in block style/],
    ['has an entry outside of a list', 'entries:\n  web:\n    version: 1\n', /not indented/],
    ['has an entry with two versions', 'entries:\n  web:\n  - version: 1\n    version: 2\n', /two fields version/],
    ['has a line without end', `entries:\n  web: ${'x'.repeat(1_100_000)}`, /line of more than/],
    ['has an entry of any size', `entries:\n  web:\n  - urls:\n${'    - x\n'.repeat(20_000)}`, /entry of more than/],
    [
      'has charts without end',
      `entries:\n${Array.from({ length: 200_001 }, (_, at) => ` c${at}:\n`).join('')}`,
      /more than/,
    ],
    [
      'has long URLs without end',
      `entries:\n${Array.from({ length: 60 }, (_, at) => ` c${at}:\n${longUrls(250)}`).join('')}`,
      /67108864 bytes of versions and URLs/,
    ],
    ['has long URLs without end for a chart', `entries:\n c:\n${longUrls(2000)}`, /URLs for a chart/],
    ['is JSON of another kind', '{"entries": [1]}', /not the index/],
    ['is JSON with too many members', `{"entries":{"web":[${'{},'.repeat(600_000)}{}]}}`, /more than 150000 members/],
    ['is JSON that ends in the middle', '{"entries": {', /not the index/],
  ])('is refused if it %s', async ([, text, words]) => {
    await expect(read(text, 10_000)).rejects.toThrow(words);
    await expect(read(text, 10_000)).rejects.toMatchObject({ reason: 'malformed' });
  });

  test('names a host without a scheme, which does not get the token of the repository', async () => {
    const withToken = new URL('https://charts.example.com/stable/?token=secret');
    const text = indexOf({ web: [{ ...web, urls: ['//elsewhere.example/w.tgz'] }], own: [web] });

    const { index } = await readIndex(inPieces(text), { base: withToken });

    expect(index.get('web')?.get('1.0.0')?.url).toBe('https://elsewhere.example/w.tgz');
    expect(index.get('own')?.get('1.0.0')?.url).toBe(`${package1.url}?token=secret`);
  });

  const spaces = ' '.repeat(30_000);
  test.for<[string, string, number?]>([
    ['a key and spaces before a line separator', `entries:\n  web:\n  - name:${spaces}\u2028x\n`],
    ['an item and spaces before a line separator', `entries:\n  web:\n  - urls:\n    - ${spaces}\u2028x\n`],
    ['spaces in a key', `entries:\n  web:\n  - name${' '.repeat(1_000_000)}x\n`],
    ['texts that a parser takes long for', `entries:\n  web:\n${`  - version: ${'['.repeat(60_000)}\n`.repeat(5)}`],
    ['keys in keys that a parser takes minutes for', `entries:\n  web:\n  - version:\n      ${'? '.repeat(260)}\n`],
    ['tags without end', `entries:\n  web:\n${`  - version: ${'!a '.repeat(600)}\n`.repeat(100)}`],
    ['quotes without end', `entries:\n  web:\n${`  - version: ${'"'.repeat(2000)}\n`.repeat(50)}`],
    ['a long line that arrives in small pieces', `entries:\n  web:\n  - name: ${'x'.repeat(500_000)}\n`, 5],
  ])('with %s is read in linear time', async ([, text, pieceSize = 65_536]) => {
    const before = process.threadCpuUsage();

    await read(text, pieceSize);

    expect(cpuMsSince(before)).toBeLessThan(150);
  });

  test('of 50 MB with 100,000 entries is read in a heap of 96 MB', async () => {
    const program = `
      import { readIndex } from ${JSON.stringify(new URL('read-index.ts', import.meta.url).href)};
      const entry = (chart, at) => '  - annotations:\\n      images: |\\n        - image: x\\n          note: ' + 'n'.repeat(240)
        + '\\n    apiVersion: v2\\n    digest: ' + (chart * 1000 + at).toString(16).padStart(64, '0')
        + '\\n    urls:\\n    - https://github.com/example/charts/releases/download/chart-' + chart + '/c-1.' + at + '.0.tgz\\n    version: 1.' + at + '.0\\n';
      let bytes = 0;
      async function* pieces() {
        yield Buffer.from('apiVersion: v1\\nentries:\\n');
        for (let chart = 0; chart < 100; chart += 1) {
          let text = '  chart-' + chart + ':\\n';
          for (let at = 0; at < 1000; at += 1) text += entry(chart, at);
          const piece = Buffer.from(text);
          bytes += piece.length;
          for (let at = 0; at < piece.length; at += 65536) yield piece.subarray(at, at + 65536);
        }
      }
      const { index } = await readIndex(pieces(), { base: new URL('https://example.com/') });
      const entries = [...index.values()].reduce((sum, versions) => sum + versions.size, 0);
      console.log(JSON.stringify({ isLarge: bytes > 50e6, entries }));
    `;
    const args = ['--max-old-space-size=96', '--input-type=module', '-e', program];

    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });

    expect(JSON.parse(stdout)).toEqual({ isLarge: true, entries: 100_000 });
  });
});
