import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { chartTgz, chartYaml, type TarEntry, tarOf } from './testing/tgz.ts';
import { unpackFiles } from './unpack-files.ts';

const read = async (archive: Uint8Array) => unpackFiles(archive, (path) => path.endsWith('.yaml'));
const readEntries = async (...entries: TarEntry[]) => read(gzipSync(await tarOf(entries)));
const chart: TarEntry = { name: 'web/Chart.yaml', body: 'name: web' };
const mebibyte = 1024 * 1024;

describe('unpackFiles', () => {
  test('reads only the wanted files', async () => {
    const files = await read(await chartTgz({ 'Chart.yaml': 'a', 'berth/features.yaml': 'b', 'README.md': 'c' }));

    expect([...files]).toEqual([
      ['Chart.yaml', 'a'],
      ['berth/features.yaml', 'b'],
    ]);
  });

  test('skips folders', async () => {
    const files = await readEntries({ name: 'web/', type: 'directory' }, chart);

    expect([...files.keys()]).toEqual(['Chart.yaml']);
  });

  test('skips links and devices that are not wanted', async () => {
    const files = await readEntries(
      chart,
      { name: 'web/README.md', type: 'symlink', linkname: '/etc/passwd' },
      { name: 'web/LICENSE', type: 'link', linkname: 'web/Chart.yaml' },
      { name: 'web/pipe', type: 'fifo' },
    );

    expect([...files]).toEqual([['Chart.yaml', 'name: web']]);
  });

  test.for<[string, TarEntry, RegExp]>([
    [
      'a symbolic link',
      { name: 'web/a.yaml', type: 'symlink', linkname: '/etc/passwd' },
      /a.yaml is not a regular file/,
    ],
    ['a hard link', { name: 'web/a.yaml', type: 'link', linkname: 'web/Chart.yaml' }, /not a regular file but a link/],
    ['a device', { name: 'web/a.yaml', type: 'character-device', devmajor: 1, devminor: 3 }, /not a regular file/],
    ['a pipe', { name: 'web/a.yaml', type: 'fifo' }, /not a regular file/],
    ['a path that climbs', { name: 'web/../../a.yaml' }, /empty part, "." or ".."/],
    ['an absolute path', { name: '/etc/a.yaml' }, /absolute path/],
    ['a Windows path', { name: 'C:/a.yaml' }, /absolute path/],
    ['a backslash', { name: 'web\\..\\a.yaml' }, /backslash/],
    ['a chart named .', { name: './a.yaml' }, /empty part, "." or ".."/],
    ['a chart named ..', { name: '../a.yaml' }, /empty part, "." or ".."/],
    ['a control character', { name: 'web/a\u0007.yaml' }, /control character/],
    ['a second folder', { name: 'other/a.yaml' }, /more than one folder/],
    ['a file beside the folder', { name: 'web' }, /in place of the chart folder/],
    ['the same file twice', chart, /is in the archive twice/],
    ['a file of more than 5 MiB', { name: 'web/big.bin', body: Buffer.alloc(5 * mebibyte + 1) }, /larger than/],
    ['a wanted file of more than 1 MiB', { name: 'web/big.yaml', body: Buffer.alloc(mebibyte + 1) }, /larger than/],
    ['text that is not UTF-8', { name: 'web/a.yaml', body: Buffer.from([0xff, 0xfe]) }, /not UTF-8/],
    ['a long path', { name: `web/${'d/'.repeat(600)}a.yaml` }, /longer than 1024 bytes/],
  ])('refuses %s', async ([, entry, words]) => {
    await expect(readEntries(chart, entry)).rejects.toThrow(words);
  });

  test('refuses more than 10,000 entries', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `web/${index}` }));

    await expect(readEntries(...many)).rejects.toThrow('more than 10000 entries');
  });

  test('refuses an archive that is not gzip, not tar, or cut off', async () => {
    const whole = await chartTgz({ 'Chart.yaml': chartYaml(), 'big.bin': 'x'.repeat(100_000) });

    await expect(read(Buffer.from('hello'))).rejects.toThrow('not a gzipped tar file');
    await expect(read(gzipSync('x'.repeat(2000)))).rejects.toThrow('not a gzipped tar file');
    await expect(read(whole.subarray(0, whole.length / 2))).rejects.toThrow('not a gzipped tar file');
    await expect(read(new Uint8Array())).rejects.toThrow('not a gzipped tar file');
  });

  test('refuses a path that a pax header hides', async () => {
    const hidden = { name: 'web/a.yaml', pax: { path: '../../etc/a.yaml' } };

    await expect(readEntries(chart, hidden)).rejects.toThrow('empty part, "." or ".."');
  });

  test('stops a bomb of 1000:1 at 64 MiB, with little memory', async () => {
    const zeros = Readable.from(
      (function* () {
        for (let count = 0; count < 400; count += 1) yield Buffer.alloc(mebibyte / 4);
      })(),
    );
    // Blocks of zeros end an archive, so no limit on a file applies here.
    const bomb = await buffer(zeros.pipe(createGzip({ level: 9 })));
    const before = process.memoryUsage().rss;

    await expect(read(bomb)).rejects.toThrow('bytes unpacked');

    // Twice the unpacked size, since the engine decides when to collect garbage.
    expect((process.memoryUsage().rss - before) / mebibyte).toBeLessThan(128);
  });
});
