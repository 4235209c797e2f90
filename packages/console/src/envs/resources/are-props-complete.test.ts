import { expect, test } from 'vitest';
import { formOf } from '../../form/parsed-form.ts';
import { arePropsComplete } from './are-props-complete.ts';

const form = formOf({
  inputs: [
    { id: 'title', type: 'text', label: 'Title', required: true },
    { id: 'password', type: 'text', label: 'Password', required: true, sensitive: true },
  ],
  outputs: { values: [] },
});

test('a new resource needs every required prop', () => {
  expect(arePropsComplete(form, { title: 'a', password: 'b' }, 'new')).toBe(true);
  expect(arePropsComplete(form, { title: 'a' }, 'new')).toBe(false);
});

test('a change needs every required prop except sensitive ones', () => {
  expect(arePropsComplete(form, { title: 'a' }, 'change')).toBe(true);
  expect(arePropsComplete(form, {}, 'change')).toBe(false);
});
