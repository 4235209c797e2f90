import { expect, test } from 'vitest';
import { RequestLimit } from './request-limit.ts';
import { TooManyRequests } from './too-many-requests.ts';

/** A limit with a clock of its own. `take` counts a request of a key and returns the answer as text. */
function limitWithClock(perMinute: number) {
  const clock = { ms: 0 };
  const limit = new RequestLimit({ by: 'address', burstSeconds: 60, perMinute, now: () => clock.ms });
  const take = (key: string): string => {
    const headers = new Map<string, string>();
    try {
      limit.take(key, { header: (name, value) => headers.set(name, value) });
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      return `refused for ${error.retryAfterSeconds}: ${headers.get('ratelimit')}`;
    }
    return headers.get('ratelimit') ?? 'no header';
  };
  return { clock, limit, take };
}

test('a request limit allows a burst, then single requests, and reports the remaining ones in headers', () => {
  const { clock, take } = limitWithClock(60);
  for (let n = 59; n > 0; n -= 1) expect(take('a')).toBe(`"address";r=${n};t=${60 - n}`);

  expect(take('a')).toBe('"address";r=0;t=1');
  expect(take('a')).toBe('refused for 1: "address";r=0;t=1');
  clock.ms += 1_000;
  expect(take('a')).toBe('"address";r=0;t=1');
  clock.ms += 60_000;
  expect(take('a')).toBe('"address";r=59;t=1');
});

test('request limits are kept for the ten thousand keys used last', () => {
  const { limit, take } = limitWithClock(1);
  for (let n = 0; n < 25_000; n += 1) take(`${n}`);

  expect(limit.keys).toBe(10_000);
  expect(take('24999')).toContain('refused');
  expect(take('0')).toContain('r=0');
});
