import { expect, test } from 'vitest';
import { unitsOf } from './cost.ts';

const none = { bodyBytes: 0, answerBytes: 0, cpuMs: 0 };

test.for([
  ['a small request', { ...none, bodyBytes: 2_000, answerBytes: 31_000 }, 0],
  ['a body of 1 MiB that was parsed in 40 ms', { ...none, bodyBytes: 1_048_576, cpuMs: 40 }, 72],
  ['an answer of 3 MiB', { ...none, answerBytes: 3 * 1_048_576 }, 48],
  ['small parts add up', { bodyBytes: 16_384, answerBytes: 16_384, cpuMs: 0.25 }, 1],
] as const)('a request costs further units for its use: %s', ([, usage, units]) => {
  expect(unitsOf(usage)).toBe(units);
});
