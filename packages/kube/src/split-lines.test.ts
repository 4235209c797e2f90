import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type LineLimits, splitLines } from './split-lines.ts';

const streamOf = (chunks: (string | Buffer)[]) =>
  Readable.from(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));

async function linesOf(chunks: (string | Buffer)[], limits?: LineLimits) {
  const lines: (string | null)[] = [];
  for await (const line of splitLines(streamOf(chunks), limits)) lines.push(line);
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

test('a line that is too long is dropped, and later lines are read', async () => {
  const chunks = ['one\n', 'x'.repeat(60), 'x'.repeat(60), '\ntwo\n'];

  expect(await linesOf(chunks, { longest: 100, endless: 1_000 })).toEqual(['one', null, 'two']);
});

test('a line that is sent byte by byte takes little more memory than its bytes', async () => {
  async function* bytes() {
    for (let sent = 0; sent < 1_500_000; sent += 1) yield Buffer.from('x');
    mostHeap = process.memoryUsage().heapUsed;
    yield Buffer.from('\n');
  }
  let mostHeap = 0;
  const before = process.memoryUsage().heapUsed;

  for await (const line of splitLines(bytes())) expect(line).toHaveLength(1_500_000);

  // Concatenated texts take 75 MB, and chunks that are not collected yet up to 16 MB.
  expect(mostHeap - before).toBeLessThan(40_000_000);
});

test('a line that never ends is refused', async () => {
  const chunks = ['x'.repeat(60), 'x'.repeat(60)];

  await expect(linesOf(chunks, { longest: 50, endless: 100 })).rejects.toThrow('longer than 100');
});

test('a chunk of many lines does not block the event loop', async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns < 1_000) setImmediate(count);
  };
  count();

  expect(await linesOf(['\n'.repeat(1_000)], { perTurn: 10 })).toHaveLength(1_000);

  expect(turns).toBeGreaterThan(100);
});
