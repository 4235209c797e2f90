import { describe, expect, it } from 'vitest';
import { deltaOf, inputLines } from './input-changes.ts';

describe('the difference between two values', () => {
  it('has a path for each value that differs, and treats a list as one value', () => {
    expect(deltaOf({ a: { b: 1, c: 2 }, l: [1] }, { a: { b: 1, c: 3 }, l: [1, 2], n: true })).toEqual({
      'a.c': [2, 3],
      l: [[1], [1, 2]],
      n: [null, true],
    });
  });

  it('is empty if both are the same, or absent', () => {
    expect(deltaOf(null, {})).toEqual({});
    expect(deltaOf({ a: [1] }, { a: [1] })).toEqual({});
  });
});

describe('the inputs of a run', () => {
  const form = {
    inputs: [
      { id: 'name', label: 'Name' },
      { id: 'password', label: 'Password', sensitive: true },
      { id: 'size', label: 'Size' },
    ],
  };

  it('are in the order of the form, followed by those that it does not know', () => {
    const lines = inputLines(form, { extra: 1, size: 'small', name: 'web' }, {});
    expect(lines.map(({ label, value }) => [label, value])).toEqual([
      ['Name', 'web'],
      ['Size', 'small'],
      ['extra', '1'],
    ]);
  });

  it('show what changed, and what was removed', () => {
    const lines = inputLines(form, { name: 'web' }, { name: ['api', 'web'], size: ['small', null] });
    expect(lines).toEqual([
      { id: 'name', label: 'Name', value: 'web', before: 'api', isChanged: true },
      { id: 'size', label: 'Size', value: null, before: 'small', isChanged: true },
    ]);
  });

  it('hide the values that the form calls sensitive, before and after', () => {
    const lines = inputLines(form, { password: 'new' }, { password: ['old', 'new'] });
    expect(JSON.stringify(lines)).not.toMatch(/old|new/);
    expect(lines[0]).toMatchObject({ value: 'hidden', before: 'hidden', isChanged: true });
  });
});
