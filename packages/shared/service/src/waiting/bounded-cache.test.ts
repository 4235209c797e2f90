import { expect, test } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

test('a bounded cache evicts the least recently used entry', () => {
  const cache = new BoundedCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');

  cache.set('c', 3);

  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
});

test('a bounded cache counts an entry that is set again once', () => {
  const cache = new BoundedCache<number>(2);
  cache.set('a', 1);
  cache.set('a', 2);
  cache.set('b', 3);

  expect([cache.get('a'), cache.get('b'), cache.size]).toEqual([2, 3, 2]);
});

test('a bounded cache evicts several light entries for a heavy one', () => {
  const cache = new BoundedCache<number>(4);
  for (const key of ['a', 'b', 'c']) cache.set(key, 1);
  cache.set('heavy', 2, 3);

  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.get('heavy')]).toEqual([undefined, undefined, 1, 2]);
});
