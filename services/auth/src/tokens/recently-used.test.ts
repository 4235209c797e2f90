import { expect, test } from 'vitest';
import { RecentlyUsed } from './recently-used.ts';

test('recentlyUsed evicts the least recently used entry', () => {
  const recent = new RecentlyUsed<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.get('a');

  recent.set('c', 3);

  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([1, undefined, 3]);
});

test('recentlyUsed counts an entry that is set again once', () => {
  const recent = new RecentlyUsed<number>(2);
  recent.set('a', 1);
  recent.set('a', 2);
  recent.set('b', 3);

  expect([recent.get('a'), recent.get('b'), recent.size]).toEqual([2, 3, 2]);
});

test('recentlyUsed evicts several light entries for a heavy one', () => {
  const recent = new RecentlyUsed<number>(4);
  for (const key of ['a', 'b', 'c']) recent.set(key, 1);
  recent.set('heavy', 2, 3);

  expect([recent.get('a'), recent.get('b'), recent.get('c'), recent.get('heavy')]).toEqual([
    undefined,
    undefined,
    1,
    2,
  ]);
});
