import { expect, test } from 'vitest';
import { memorySink, saveLines } from './save-lines.ts';

async function* lines(count: number, size: number, end?: Error) {
  for (let index = 0; index < count; index += 1) yield `${index}`.padEnd(size, '.');
  if (end !== undefined) throw end;
}

test('every line is in the file, and the last count is the total', async () => {
  let saved = '';
  const counts: number[] = [];
  await saveLines(
    lines(300, 1_000),
    memorySink((parts) => (saved = parts.join(''))),
    (count) => counts.push(count),
  );

  expect(saved.split('\n')).toHaveLength(301);
  expect(counts.length).toBeGreaterThan(2);
  expect(counts.at(-1)).toBe(300);
});

test('an export that is cut off leaves no file', async () => {
  let isSaved = false;
  const sink = memorySink(() => (isSaved = true));

  await expect(saveLines(lines(3, 10, new Error('cut off')), sink, () => undefined)).rejects.toThrow('cut off');
  expect(isSaved).toBe(false);
});

test('an export that does not fit into memory fails with advice', async () => {
  const sink = memorySink(() => undefined, 2 * 1024 * 1024);

  await expect(saveLines(lines(3_000, 1_000), sink, () => undefined)).rejects.toThrow(
    'more than 2 MB, which this browser cannot keep: choose a shorter time',
  );
});
