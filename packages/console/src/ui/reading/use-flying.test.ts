import { expect, test } from 'vitest';
import { flightAfter } from './use-flying.ts';

const after = (...moves: [isScrolling: boolean, first: number][]) =>
  moves.reduce((flight, [isScrolling, first]) => flightAfter(flight, isScrolling, first), { first: 0, isFlying: false })
    .isFlying;

test('rows that a wheel moves do not fly', () => {
  expect(after([true, 3], [true, 9], [true, 25])).toBe(false);
});

test('rows that jump fly until scrolling ends, in either direction', () => {
  expect(after([true, 40])).toBe(true);
  expect(after([true, 40], [true, 41])).toBe(true);
  expect(after([true, 40], [false, 41])).toBe(false);
  expect(after([true, 40], [false, 40], [true, 0])).toBe(true);
});
