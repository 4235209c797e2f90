import { expect, test } from 'vitest';
import { Attempts } from './attempts.ts';
import { TooManyRequests } from '../limits/too-many-requests.ts';

/** Attempts whose clock the test moves. */
function attemptsWithClock(perMinute = 6) {
  let clock = 0;
  const usedUp: string[] = [];
  const attempts = new Attempts({ perMinute, now: () => clock, onUsedUp: (network) => usedUp.push(network) });
  const retryAfter = (network: string): number => {
    try {
      attempts.refuseUsedUp(network);
      return 0;
    } catch (error) {
      return error instanceof TooManyRequests ? error.retryAfterSeconds : Number.NaN;
    }
  };
  const pass = (seconds: number) => {
    clock += seconds * 1_000;
  };
  const count = (network: string, times: number) => {
    for (let n = 0; n < times; n += 1) attempts.count(network);
  };
  return { attempts, count, pass, retryAfter, usedUp };
}

test('a network that has used up its attempts waits until it has one again; other networks do not wait', () => {
  const { count, pass, retryAfter, usedUp } = attemptsWithClock();

  count('a', 5);
  expect(retryAfter('a')).toBe(0);
  count('a', 1);
  expect([retryAfter('a'), retryAfter('b'), usedUp]).toEqual([10, 0, ['a']]);
  pass(5);
  expect(retryAfter('a')).toBe(5);
  pass(5);
  expect(retryAfter('a')).toBe(0);
});

test('concurrent attempts beyond the last one lengthen the wait, to two minutes at most', () => {
  const { count, retryAfter } = attemptsWithClock();

  count('a', 8);
  expect(retryAfter('a')).toBe(30);
  count('a', 1_000);
  expect(retryAfter('a')).toBe(70);
});

test('a network never has more attempts than the limit, however long it was idle', () => {
  const { count, pass, retryAfter } = attemptsWithClock();

  count('a', 6);
  pass(86_400);
  count('a', 6);
  expect(retryAfter('a')).toBe(10);
});

test('ten thousand networks are counted, and the least recently used one is dropped', () => {
  const { attempts, count, retryAfter } = attemptsWithClock(1);

  count('first', 1);
  count('second', 1);
  for (let n = 0; n < 9_998; n += 1) count(`network ${n}`, 1);
  expect(retryAfter('first')).toBe(60);
  count('one more', 1);
  expect([attempts.networks, retryAfter('first'), retryAfter('second')]).toEqual([10_000, 60, 0]);
});

test('a network that keeps trying is reported once, and again only after a pause', () => {
  const { count, pass, usedUp } = attemptsWithClock();

  count('a', 6);
  for (let n = 0; n < 100; n += 1) {
    pass(10);
    count('a', 1);
  }
  expect(usedUp).toEqual(['a']);

  pass(30);
  count('a', 3);
  expect(usedUp).toEqual(['a', 'a']);
});
