import { expect, test } from 'vitest';
import { retryDelayMs } from './retry-delay.ts';

test.for([
  ['starts at 5 s', 1, 0, 5_000],
  ['doubles with each attempt', 3, 0, 20_000],
  ['is up to half longer at random', 1, 1, 7_500],
  ['ends at 5 min', 30, 1, 300_000],
] as const)('%s', ([, attempts, spread, ms]) => {
  expect(retryDelayMs(attempts, spread)).toBe(ms);
});
