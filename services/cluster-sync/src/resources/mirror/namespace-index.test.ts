import { beforeEach, expect, test } from 'vitest';
import { createNamespaceBook, type NamespaceBook } from './namespace-index.ts';

let book: NamespaceBook;

beforeEach(() => {
  book = createNamespaceBook({ removedLimit: 2 });
});

test('a name is new once, whether it is ours or not', () => {
  expect(book.deploymentOf('ours')).toBeUndefined();

  expect([book.see('ours', 'd1'), book.see('ours', 'd1')]).toEqual(['first', 'none']);
  expect([book.see('theirs', null), book.see('theirs', null)]).toEqual(['first', 'none']);

  expect(book.deploymentOf('ours')).toBe('d1');
  expect(book.deploymentOf('theirs')).toBeNull();
});

test.for<[string | null, string | null]>([
  ['d1', 'd2'],
  ['d1', null],
  [null, 'd1'],
])('a namespace of %s that is one of %s now is something else', ([before, after]) => {
  book.see('a', before);

  expect(book.see('a', after)).toBe('other');
  expect(book.deploymentOf('a')).toBe(after);
});

test.for([['d1'], [null]])('a name of %s that was removed is not new when it comes again', ([before = null]) => {
  book.see('a', before);
  book.remove('a');
  expect(book.deploymentOf('a')).toBeUndefined();

  expect([book.see('a', 'd1'), book.see('a', 'd1')]).toEqual(['other', 'none']);
});

test('of removed names the last ones are remembered', () => {
  for (const name of ['a', 'b', 'a', 'c']) book.remove(name);

  expect(['a', 'b', 'c'].map((name) => book.see(name, 'd1'))).toEqual(['other', 'first', 'other']);
});

test('what a list does not show is removed, a list that failed half way aside', () => {
  for (const name of ['a', 'b', 'c']) book.see(name, 'd1');
  book.beginPass();
  book.see('c', 'd1');

  book.beginPass();
  book.see('a', 'd1');
  book.see('new', null);
  book.endPass();

  expect(['a', 'b', 'c', 'new'].map((name) => book.deploymentOf(name))).toEqual(['d1', undefined, undefined, null]);
  expect(book.see('c', 'd1')).toBe('other');
});
