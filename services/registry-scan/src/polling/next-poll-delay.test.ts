import { expect, test } from 'vitest';
import { nextPollDelay } from './next-poll-delay.ts';

test.for([
  ['the interval after a success', 30_000, 0, 30_000],
  ['twice the interval after a failure', 30_000, 1, 60_000],
  ['ten minutes at most', 30_000, 50, 600_000],
  ['the interval if it is longer than ten minutes', 3_600_000, 3, 3_600_000],
] as const)('the next poll of a registry is due after %s', ([, interval, failures, delay]) => {
  expect(nextPollDelay(interval, failures)).toBe(delay);
});
