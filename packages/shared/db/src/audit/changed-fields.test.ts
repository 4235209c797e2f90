import { expect, test } from 'vitest';
import { changedFields } from './changed-fields.ts';

test('changedFields lists only fields that differ, old value before new', () => {
  const before = { id: 'e1', name: 'prod', node_selector: { zone: 'a' }, tolerations: null };
  const after = { id: 'e1', name: 'production', node_selector: { zone: 'a' }, tolerations: [] };

  expect(changedFields(before, after)).toEqual({ name: ['prod', 'production'], tolerations: [null, []] });
});

test('changedFields lists null as the old value for a new row and as the new value for a deleted one', () => {
  expect(changedFields(null, { role: 'Admin', note: null })).toEqual({ role: [null, 'Admin'] });
  expect(changedFields({ role: 'Admin', note: null }, null)).toEqual({ role: ['Admin', null] });
});
