import { describe, expect, test } from 'vitest';
import { jsonKeyAt, keysBelow, yamlKeyAt } from './keys-at.ts';

/** The text with `|` where the cursor is. */
const at = (text: string, find: typeof yamlKeyAt) => {
  const place = find(text.replace('|', ''), text.indexOf('|'));
  return place && [...place.path, text.replace('|', '').slice(place.from, text.indexOf('|'))];
};

describe('the place of a key in YAML', () => {
  test.each([
    ['|', ['']],
    ['im|', ['im']],
    ['image:\n  ta|', ['image', 'ta']],
    ['image:\n  # which\n\n  repository: a\n  ta|', ['image', 'ta']],
    ['a:\n  b:\n    c: 1\n  d:\n    |', ['a', 'd', '']],
    ['"a b":\n  c|', ['a b', 'c']],
    ['a: 1\nb|', ['b']],
    ['a: |', null],
    ['a: x|', null],
    ['a:\n  - b|', null],
    ['a: 1\n  b|', null],
    ['# no|', null],
  ])('of %j is %j', (text, place) => {
    expect(at(text, yamlKeyAt)).toEqual(place);
  });
});

describe('the place of a key in JSON', () => {
  test.each([
    ['{"|', ['']],
    ['{"a": {"b|', ['a', 'b']],
    ['{"a": {"x": [1, 2], "y": "}\\"{", "b|', ['a', 'b']],
    ['{"a": "b|', null],
    ['{"a": ["b|', null],
    ['{"a": [{"b|', null],
    ['{|', null],
  ])('of %j is %j', (text, place) => {
    expect(at(text, jsonKeyAt)).toEqual(place);
  });
});

test('the keys below a path say whether they have keys of their own', () => {
  const known = [
    { path: ['image', 'tag'], meaning: 'Version' },
    { path: ['image'] },
    { path: ['replicas'], meaning: 'Replicas' },
  ];
  expect(keysBelow(known, [])).toEqual([
    { key: 'image', meaning: undefined, isObject: true },
    { key: 'replicas', meaning: 'Replicas', isObject: false },
  ]);
  expect(keysBelow(known, ['image'])).toEqual([{ key: 'tag', meaning: 'Version', isObject: false }]);
  expect(keysBelow(known, ['replicas'])).toEqual([]);
});
