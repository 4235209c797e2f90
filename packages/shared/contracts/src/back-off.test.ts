import { expect, test } from 'vitest';
import { backOffMs } from './back-off.ts';

const times = { firstMs: 250, longestMs: 5_000 };

test('a pause doubles with each failure up to the longest pause', () => {
  const pauses = [1, 2, 3, 5, 6, 1_000].map((failures) => backOffMs(times, failures));

  expect(pauses).toEqual([250, 500, 1_000, 4_000, 5_000, 5_000]);
});

test('jitter makes a pause randomly shorter or longer by up to its share', () => {
  const pauses = [0, 0.5, 1].map((random) => backOffMs({ ...times, jitter: 0.25 }, 3, random));

  expect(pauses).toEqual([750, 1_000, 1_250]);
});
