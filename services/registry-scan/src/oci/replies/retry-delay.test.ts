import { describe, expect, test } from 'vitest';
import { type Attempt, maxAttempts, retryDelay } from './retry-delay.ts';

const now = new Date('2026-01-01T00:00:00Z');
const delay = (outcome: Attempt, attempt = 1, luck = 0.5) => retryDelay(outcome, attempt, { now, luck });

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
    ['falls back where the header is nonsense', { status: 429, retryAfter: 'soon' }, 500],
    ['backs off when nobody answers', 'no answer', 500],
    ['backs off on a server error', { status: 502 }, 500],
    ['does not repeat what was refused', { status: 403 }, null],
    ['does not repeat what is missing', { status: 404 }, null],
    ['does not repeat what worked', { status: 200 }, null],
  ])('%s', ([, outcome, expected]) => {
    expect(delay(outcome)).toBe(expected);
  });

  test('doubles from attempt to attempt, and gives up', () => {
    expect(delay('no answer', 2)).toBe(1_000);
    expect(delay('no answer', 3)).toBe(2_000);
    expect(delay('no answer', maxAttempts)).toBeNull();
  });

  test('spreads by luck', () => {
    expect(delay('no answer', 1, 0)).toBe(250);
    expect(delay('no answer', 1, 0.99)).toBeGreaterThan(740);
  });
});
