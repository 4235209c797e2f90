import { expect, test } from 'vitest';
import { effectiveValues, shownInputs } from './effective-values.ts';

const form = {
  inputs: [
    { id: 'replicas', type: 'number', label: 'Replicas' },
    { id: 'password', type: 'text', label: 'Password', sensitive: true },
    { id: 'token', type: 'CollectionSelect', label: 'Token', collection: 'secrets' },
  ],
  outputs: {
    values: [
      { path: ['web', 'replicas'], value: { FieldValue: { input: 'replicas' } } },
      { path: ['web', 'password'], value: { FieldValue: { input: 'password' } } },
      { path: ['changed'], value: { FieldProperty: { input: 'token', property: 'updated_at' } } },
    ],
  },
};
const config = { replicas: 2, password: 'hunter2', token: '11111111-2222-4333-8444-555555555555' };

test('the override wins over the form, and sensitive values stay hidden', () => {
  const values = effectiveValues(form, { config, values_override: { web: { replicas: 5, image: 'nginx:2' } } });
  expect(values).toEqual({
    web: { replicas: 5, password: '(hidden)', image: 'nginx:2' },
    changed: '(updated_at of 11111111)',
  });
});

test('a chart without a form gets the inputs as they are', () => {
  expect(effectiveValues(null, { config: { a: 1 }, values_override: null })).toEqual({ config: { a: 1 } });
});

test('the values of sensitive inputs are hidden', () => {
  expect(shownInputs(form, config)).toEqual({ ...config, password: '(hidden)' });
});
