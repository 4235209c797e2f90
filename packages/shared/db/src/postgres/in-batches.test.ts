import { expect, test } from 'vitest';
import { inBatches } from './in-batches.ts';

const neverAborted = new AbortController().signal;

test('inBatches continues until a batch is not full', async () => {
  let left = 2_500;
  const limits: number[] = [];

  await inBatches(async (most) => {
    limits.push(most);
    const done = Math.min(most, left);
    left -= done;
    return done;
  }, neverAborted);

  expect({ left, limits }).toEqual({ left: 0, limits: [1_000, 1_000, 1_000] });
});

test('inBatches ends even if rows arrive faster than it works, and ends early when the signal aborts', async () => {
  let turns = 0;
  await inBatches(async (most) => {
    turns += 1;
    return most;
  }, neverAborted);
  expect(turns).toBe(100);

  const stopping = new AbortController();
  await inBatches(async (most) => {
    turns += 1;
    stopping.abort();
    return most;
  }, stopping.signal);
  expect(turns).toBe(101);
});
