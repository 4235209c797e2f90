import { expect, test } from 'vitest';
import { changedProps, resourceTypeOf } from './resource-type.ts';

test('a lifecycle step is for maintainers unless the type says owners, and an absent step is for nobody', () => {
  const type = resourceTypeOf('page', {
    name_singular: 'Page',
    name_plural: 'Pages',
    lifecycle: { create: {}, delete: { allowed_role: 'Owner' } },
    values_ui: { inputs: [{ id: 'title' }] },
  });

  expect(type).toEqual({
    singular: 'Page',
    plural: 'Pages',
    lifecycle: { create: 'Maintainer', delete: 'Owner' },
    valuesUi: { inputs: [{ id: 'title' }] },
  });
});

test('a type without names is named by its key', () => {
  expect(resourceTypeOf('page', {})).toEqual({
    singular: 'page',
    plural: 'page',
    lifecycle: {},
    valuesUi: expect.anything(),
  });
});

test('an update contains what differs, and null for what was removed', () => {
  expect(changedProps({ a: 1, b: [1], c: 'x' }, { a: 2, b: [1], d: true })).toEqual({ a: 2, c: null, d: true });
});
