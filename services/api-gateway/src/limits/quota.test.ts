import { describe, expect, test } from 'vitest';
import { afterUse, type FullAt, leftOf, type Quota, waitOf } from './quota.ts';

/** The same limit as a bucket: a counter of requests left, which grows with time. */
class Counted {
  #left: number;
  #at = 0;
  readonly #quota: Quota;

  constructor(quota: Quota) {
    this.#quota = quota;
    this.#left = quota.requests;
  }

  take(now: number): boolean {
    const { requests, windowMs } = this.#quota;
    this.#left = Math.min(requests, this.#left + ((now - this.#at) * requests) / windowMs);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** Every sequence of `length` steps. */
function* sequences(steps: readonly number[], length: number): Generator<number[]> {
  if (length === 0) yield [];
  else for (const rest of sequences(steps, length - 1)) for (const step of steps) yield [...rest, step];
}

const quotas: Quota[] = [
  { requests: 1, windowMs: 8 },
  { requests: 2, windowMs: 8 },
  { requests: 4, windowMs: 8 },
  { requests: 8, windowMs: 8 },
];

describe('a quota', () => {
  test.for(quotas)('of $requests allows the same requests as a counted bucket, for every short sequence', (quota) => {
    const wrong: string[] = [];
    for (const start of [0, 1e12]) {
      for (const pauses of sequences([0, 1, 2, 4, 9], 7)) {
        const counted = new Counted(quota);
        let [now, fullAt]: [number, FullAt] = [0, 0];
        for (const pause of pauses) {
          now += pause;
          const isAllowed = leftOf(quota, fullAt + start, now + start) >= 1;
          if (isAllowed) fullAt = afterUse(quota, fullAt, now);
          if (isAllowed !== counted.take(now)) wrong.push(`${pauses.join()} at ${now}: ${isAllowed}`);
        }
      }
    }

    expect(wrong).toEqual([]);
  });

  test('allows the next request exactly after the wait', () => {
    const quota = { requests: 7, windowMs: 60_000 };
    for (let used = 0; used <= 14; used += 1) {
      const now = 1e12 + used * 13;
      const fullAt = afterUse(quota, 0, now, used);
      const wait = waitOf(quota, fullAt, now);

      expect(wait > 0).toBe(used >= 7);
      expect(leftOf(quota, fullAt, now + wait)).toBeGreaterThanOrEqual(1);
      expect(leftOf(quota, fullAt, now + wait - 1)).toBe(Math.max(0, 6 - used));
    }
  });

  test('is full again within two windows, however much it was overdrawn', () => {
    const quota = { requests: 5, windowMs: 1_000 };
    let fullAt = 0;
    for (let n = 0; n < 10_000; n += 1) fullAt = afterUse(quota, fullAt, 500);

    expect(waitOf(quota, fullAt, 500)).toBeLessThanOrEqual(2_000);
    expect(leftOf(quota, fullAt, 2_500)).toBe(5);
  });

  test('never exceeds its size, however long it was unused', () => {
    const quota = { requests: 5, windowMs: 1_000 };

    expect(leftOf(quota, 0, 86_400_000)).toBe(5);
    expect(leftOf(quota, afterUse(quota, 0, 86_400_000, 5), 86_400_000)).toBe(0);
  });
});
