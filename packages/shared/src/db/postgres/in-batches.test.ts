import { expect, test } from 'vitest';
import { inBatches } from './in-batches.ts';

const neverAborted = new AbortController().signal;

test('goes on until there is less than a whole batch', async () => {
  let left = 2_500;
  const asked: number[] = [];

  await inBatches(async (most) => {
    asked.push(most);
    const done = Math.min(most, left);
    left -= done;
    return done;
  }, neverAborted);

  expect({ left, asked }).toEqual({ left: 0, asked: [1_000, 1_000, 1_000] });
});

test('has an end, also where more comes than goes, and ends early when the signal aborts', async () => {
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
