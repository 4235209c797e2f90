import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { splitLines } from './split-lines.ts';

async function linesOf(chunks: (string | Buffer)[], max = 100): Promise<string[]> {
  const lines: string[] = [];
  const stream = Readable.from(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
  for await (const line of splitLines(stream, max)) lines.push(line);
  return lines;
}

test('a line that arrives in pieces is joined', async () => {
  expect(await linesOf(['{"a"', ':1}\n{"b":2}\n{"c', '":3}', '\n'])).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
});

test('an incomplete last line is dropped', async () => {
  expect(await linesOf(['one\ntw'])).toEqual(['one']);
});

test('a character that is split between two chunks stays whole', async () => {
  const bytes = Buffer.from('é\n');

  expect(await linesOf([bytes.subarray(0, 1), bytes.subarray(1)])).toEqual(['é']);
});

test('a line that never ends is refused', async () => {
  await expect(linesOf(['x'.repeat(60), 'x'.repeat(60)])).rejects.toThrow('longer than 100');
});
