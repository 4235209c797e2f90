import { expect, test } from 'vitest';
import { isInRange } from './version-range.ts';

const range = { from: '4.3.1', below: '5.0.0' };

test.for([
  ['4.3.1', true],
  ['4.10.0', true],
  ['4.3.1+g123', true],
  ['4.3.2-vendor.4', true],
  ['4.3.0', false],
  ['3.99.99', false],
  ['5.0.0', false],
  ['4.4.0-rc.1', false],
  ['4.4.0-alpha', false],
  ['unknown', false],
  ['', false],
] as const)('%s is in the range from 4.3.1 below 5.0.0: %s', ([version, expected]) => {
  expect(isInRange(version, range)).toBe(expected);
});
