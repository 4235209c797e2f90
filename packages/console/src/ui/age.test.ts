import { expect, test } from 'vitest';
import { ageWords, agoWords, whenWords } from './age.tsx';

test('an age is never in the future, whatever the clocks say', () => {
  expect(ageWords(-5_000)).toBe('now');
  expect(ageWords(-7_200_000)).toBe('now');
  expect(ageWords(4_999)).toBe('now');
  expect(ageWords(5_000)).toBe('5 s');
  expect(ageWords(90_000)).toBe('1 min');
});

test('a scheduled time says how long it is until then', () => {
  expect(whenWords(-7_200_000)).toBe('in 2 h');
  expect(whenWords(-4_000)).toBe('now');
  expect(whenWords(90_000)).toBe('1 min');
});

test('an age in a sentence says that it is past', () => {
  expect(agoWords(-5_000)).toBe('just now');
  expect(agoWords(90_000)).toBe('1 min ago');
});
