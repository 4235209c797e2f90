import { expect, test } from 'vitest';
import { changedFields } from './changed-fields.ts';

test('only the fields that differ are told, old before new', () => {
  const before = { id: 'e1', name: 'prod', node_selector: { zone: 'a' }, tolerations: null };
  const after = { id: 'e1', name: 'production', node_selector: { zone: 'a' }, tolerations: [] };

  expect(changedFields(before, after)).toEqual({ name: ['prod', 'production'], tolerations: [null, []] });
});

test('a new row has null before each of its fields, a deleted one after', () => {
  expect(changedFields(null, { role: 'Admin', note: null })).toEqual({ role: [null, 'Admin'] });
  expect(changedFields({ role: 'Admin', note: null }, null)).toEqual({ role: ['Admin', null] });
});
