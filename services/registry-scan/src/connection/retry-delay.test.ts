import { describe, expect, test } from 'vitest';
import { type Attempt, maxAttempts, retryDelay } from './retry-delay.ts';

const now = new Date('2026-01-01T00:00:00Z');
const delay = (outcome: Attempt, attempt = 1, random = 0.5) => retryDelay(outcome, attempt, { now, random });

describe('retryDelay', () => {
  test.for<[string, Attempt, number | null]>([
    ['waits the seconds that the registry names', { status: 429, retryAfter: '7' }, 7_000],
    [
      'waits until the date that the registry names',
      { status: 503, retryAfter: 'Thu, 01 Jan 2026 00:00:05 GMT' },
      5_000,
    ],
    ['does not wait for a date that has passed', { status: 429, retryAfter: 'Wed, 31 Dec 2025 00:00:05 GMT' }, 0],
    ['waits no longer than 30 s', { status: 429, retryAfter: '86400' }, 30_000],
    ['backs off if the header is invalid', { status: 429, retryAfter: 'soon' }, 500],
    ['backs off when there is no answer', 'no answer', 500],
    ['backs off on a server error', { status: 502 }, 500],
    ['does not retry a refusal', { status: 403 }, null],
    ['does not retry a missing resource', { status: 404 }, null],
    ['does not retry a success', { status: 200 }, null],
  ])('%s', ([, outcome, expected]) => {
    expect(delay(outcome)).toBe(expected);
  });

  test('doubles the delay with each attempt, and gives up', () => {
    expect(delay('no answer', 2)).toBe(1_000);
    expect(delay('no answer', 3)).toBe(2_000);
    expect(delay('no answer', maxAttempts)).toBeNull();
  });

  test('spreads delays at random', () => {
    expect(delay('no answer', 1, 0)).toBe(250);
    expect(delay('no answer', 1, 0.99)).toBeGreaterThan(740);
  });
});
