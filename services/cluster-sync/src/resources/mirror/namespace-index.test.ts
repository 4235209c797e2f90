import { beforeEach, expect, test } from 'vitest';
import { createNamespaceIndex, type NamespaceIndex } from './namespace-index.ts';

let index: NamespaceIndex;

beforeEach(() => {
  index = createNamespaceIndex({ removedLimit: 2 });
});

test('a namespace counts as new only once, with or without a deployment', () => {
  expect(index.deploymentOf('managed')).toBeUndefined();

  expect([index.put('managed', 'd1'), index.put('managed', 'd1')]).toEqual(['new', 'none']);
  expect([index.put('unmanaged', null), index.put('unmanaged', null)]).toEqual(['new', 'none']);

  expect(index.deploymentOf('managed')).toBe('d1');
  expect(index.deploymentOf('unmanaged')).toBeNull();
});

test.for<[string | null, string | null]>([
  ['d1', 'd2'],
  ['d1', null],
  [null, 'd1'],
])('a namespace of %s that becomes one of %s is reassigned', ([before, after]) => {
  index.put('a', before);

  expect(index.put('a', after)).toBe('reassigned');
  expect(index.deploymentOf('a')).toBe(after);
});

test.for([['d1'], [null]])(
  'a namespace of %s that was removed is reassigned when its name is used again',
  ([before = null]) => {
    index.put('a', before);
    index.remove('a');
    expect(index.deploymentOf('a')).toBeUndefined();

    expect([index.put('a', 'd1'), index.put('a', 'd1')]).toEqual(['reassigned', 'none']);
  },
);

test('the last removed namespaces are remembered', () => {
  for (const name of ['a', 'b', 'a', 'c']) index.remove(name);

  expect(['a', 'b', 'c'].map((name) => index.put(name, 'd1'))).toEqual(['reassigned', 'new', 'reassigned']);
});

test('a namespace that is missing in a complete list is removed', () => {
  for (const name of ['a', 'b', 'c']) index.put(name, 'd1');
  index.beginPass();
  index.put('c', 'd1');

  index.beginPass();
  index.put('a', 'd1');
  index.put('new', null);
  index.endPass();

  expect(['a', 'b', 'c', 'new'].map((name) => index.deploymentOf(name))).toEqual(['d1', undefined, undefined, null]);
  expect(index.put('c', 'd1')).toBe('reassigned');
});
