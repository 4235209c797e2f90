import { expect, test } from 'vitest';
import { republishPauses } from './republish-pauses.ts';

const minute = 60_000;

/** The minutes at which a follower that asks every minute has its resource published. */
function published(asks: readonly number[]): number[] {
  let now = 0;
  const may = republishPauses({ republishMs: 20_000, longestRepublishMs: 60 * minute }, () => now);
  return asks.filter((at) => {
    now = at * minute;
    return may('envs');
  });
}

test('a resource is published again at once, and ever more seldom for a copy that stays wrong', () => {
  const always = Array.from({ length: 600 }, (_, at) => at);

  expect(published(always)).toEqual([0, 1, 2, 4, 7, 13, 24, 46, 89, 149, 209, 269, 329, 389, 449, 509, 569]);
});

test('a resource is published again at once for a copy that was right for a while', () => {
  expect(published([0, 1, 2, 30, 31])).toEqual([0, 1, 2, 30, 31]);
});

test('a resource is published once for all followers that ask together', () => {
  expect(published([0, 0, 0])).toEqual([0]);
});
