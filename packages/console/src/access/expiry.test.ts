import { expect, test } from 'vitest';
import { expiryAt, standing } from './expiry.ts';

const now = new Date('2026-03-01T12:00:00Z');

test('a token expires after the chosen number of days, or never', () => {
  expect(expiryAt('7', now)).toBe('2026-03-08T12:00:00.000Z');
  expect(expiryAt('never', now)).toBeNull();
});

test('a token that has less than a week left expires soon, and one that has ended is expired', () => {
  expect(standing(null, now.getTime())).toBe('valid');
  expect(standing('2026-03-20T12:00:00Z', now.getTime())).toBe('valid');
  expect(standing('2026-03-05T12:00:00Z', now.getTime())).toBe('soon');
  expect(standing('2026-03-01T12:00:00Z', now.getTime())).toBe('expired');
});
