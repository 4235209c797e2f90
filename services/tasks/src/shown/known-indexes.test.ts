import { expect, test } from 'vitest';
import { createKnownIndexes } from './known-indexes.ts';

test('the index of the same secrets is built once, and a changed secret is found at once', () => {
  const indexOf = createKnownIndexes();
  const first = indexOf(['hunter2-hunter2', 'swordfish-2000']);

  expect(indexOf(['hunter2-hunter2', 'swordfish-2000'])).toBe(first);
  expect(indexOf(['hunter2-hunter2', 'rotated-secret'])('the password is rotated-secret')).toBe('the password is ***');
  expect(indexOf(['ab', 'c'])).not.toBe(indexOf(['a', 'bc']));
});
