import { expect, test } from 'vitest';
import { changedFields } from './changed-fields.ts';

test('a change has the values of each field before and after', () => {
  expect(changedFields({ name: 'a', size: 1 }, { name: 'b', size: { bytes: 9 } })).toEqual([
    { name: 'name', before: 'a', after: 'b' },
    { name: 'size', before: '1', after: '{"bytes":9}' },
  ]);
});

test('a creation has no values before, and a field that stayed empty is left out', () => {
  expect(changedFields({ name: null, note: null }, { name: 'a', note: null })).toEqual([
    { name: 'name', before: null, after: 'a' },
  ]);
  expect(changedFields(null, null)).toEqual([]);
});
