import { expect, test } from 'vitest';
import { changedRows } from './watch-rows.ts';

test('a watch shows only rows that are new or have changed', () => {
  const before = [
    { id: 'a', status: 'Running' },
    { id: 'b', status: 'Installing' },
    { id: 'c', status: 'Running' },
  ];
  const after = [
    { id: 'd', status: 'Installing' },
    { id: 'a', status: 'Running' },
    { id: 'b', status: 'Running' },
  ];

  expect(changedRows(before, after)).toEqual([after[0], after[2]]);
});
