import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { splitLines } from './split-lines.ts';

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  splitLines(
    stream,
    (line) => lines.push(line),
    (bytes) => lines.push(`skipped ${bytes}`),
  );
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await once(stream, 'end');
  return lines;
}

test('a line that arrives in pieces is one line', async () => {
  expect(await linesOf('one\ntw', 'o\r\nthr', 'ee')).toEqual(['one', 'two', 'three']);
});

test('a character that is split between two chunks stays whole', async () => {
  const bytes = Buffer.from('grün\n');
  expect(await linesOf(bytes.subarray(0, 3), bytes.subarray(3))).toEqual(['grün']);
});

test('an endless line is truncated', async () => {
  const lines = await linesOf('x'.repeat(100_000), 'y'.repeat(100_000), '\nnext\n');
  expect(lines.map(({ length }) => length)).toEqual([65_536, 4]);
});

test.for([
  ['x'.repeat(63), 40 * 16 * 1024],
  ['', 4_000_000],
] as const)('the beginning and the end of very long output are read: lines of "%s"', async ([text, count]) => {
  const whole = Buffer.from(`${text}\n`.repeat(count));
  const chunks = Array.from({ length: Math.ceil(whole.length / 65_536) }, (_, at) =>
    whole.subarray(at * 65_536, (at + 1) * 65_536),
  );

  const lines = await linesOf(...chunks, 'Error: the end\n');

  expect(lines.length).toBeLessThan(120_000);
  expect(lines.at(-1)).toBe('Error: the end');
  expect(lines.filter((line) => line.startsWith('skipped '))).toHaveLength(1);
});
