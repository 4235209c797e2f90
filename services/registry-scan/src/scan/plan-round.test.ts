import { expect, test } from 'vitest';
import { planRound, visitOf } from './plan-round.ts';

const minute = 60_000;

test('a few repositories are visited at once, with all their checks', () => {
  const plan = planRound(100, minute, 2);

  expect(plan).toEqual({ pauseMs: 0, isFrugal: false });
  expect(visitOf(plan, 0, new Date(), minute)).toBe('whole');
});

test('a thousand unchanged repositories, two at a time, take most of the interval', () => {
  const { pauseMs } = planRound(1_000, minute, 2);

  expect((pauseMs * 1_000) / 2).toBe(0.8 * minute);
});

test('each of many repositories is checked in one of four rounds, and a quarter of them in each', () => {
  const plan = planRound(1_000, minute, 2);
  const visitsIn = (round: number) => [0, 1, 2, 3].map((at) => visitOf(plan, at, new Date(round * minute), minute));

  expect([0, 1, 2, 3].map(visitsIn)).toEqual([
    ['check', 'list', 'list', 'list'],
    ['list', 'list', 'list', 'check'],
    ['list', 'list', 'check', 'list'],
    ['list', 'check', 'list', 'list'],
  ]);
});
