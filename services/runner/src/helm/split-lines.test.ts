import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { splitLines } from './split-lines.ts';

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  splitLines(stream, (line) => lines.push(line));
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

test('a line without end is truncated', async () => {
  const lines = await linesOf('x'.repeat(100_000), 'y'.repeat(100_000), '\nnext\n');
  expect(lines.map(({ length }) => length)).toEqual([65_536, 4]);
});
