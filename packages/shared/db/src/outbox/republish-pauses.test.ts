import { expect, test } from 'vitest';
import { republishPauses } from './republish-pauses.ts';

const minute = 60_000;

/** The minutes at which a resource is republished if it is requested at the given minutes. */
function published(requests: readonly number[]): number[] {
  let now = 0;
  const may = republishPauses({ republishMs: 20_000, longestRepublishMs: 60 * minute }, () => now);
  return requests.filter((at) => {
    now = at * minute;
    return may('envs');
  });
}

test('a resource is republished at once, then less and less often for a projection that stays wrong', () => {
  const always = Array.from({ length: 600 }, (_, at) => at);

  expect(published(always)).toEqual([0, 1, 2, 4, 7, 13, 24, 46, 89, 149, 209, 269, 329, 389, 449, 509, 569]);
});

test('a resource is republished at once for a projection that had been right for a while', () => {
  expect(published([0, 1, 2, 30, 31])).toEqual([0, 1, 2, 30, 31]);
});

test('a resource is republished once for all followers that request it together', () => {
  expect(published([0, 0, 0])).toEqual([0]);
});
