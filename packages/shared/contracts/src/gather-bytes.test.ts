import { expect, test } from 'vitest';
import { gatherBytes } from './gather-bytes.ts';

test('chunks are joined up to the limit', () => {
  const bytes = gatherBytes(20_000);

  expect(bytes.add(Buffer.from('ab'))).toBe(true);
  expect(bytes.add(Buffer.alloc(17_998, 'x'))).toBe(true);
  expect(bytes.add(Buffer.alloc(2_001, 'y'))).toBe(false);

  expect(Buffer.from(bytes.take()).toString()).toBe(`ab${'x'.repeat(17_998)}${'y'.repeat(2_000)}`);
});

test('a body that is sent byte by byte takes little more memory than its size', () => {
  const bytes = gatherBytes(2 ** 20);
  const before = process.memoryUsage();

  for (let at = 0; at < 2 ** 20; at += 1) bytes.add(new Uint8Array([at % 256]));

  expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(40 * 2 ** 20);
  expect(bytes.take()).toHaveLength(2 ** 20);
});
