import type { JsonValue } from '@berth/contracts/fields/json';
import { expect, test } from 'vitest';
import { valuesYaml } from './values-yaml.ts';

test.for<[string, JsonValue, string]>([
  ['single values', [null, true, -1.5, 'x', ''], '[null,true,-1.5,"x",""]'],
  ['nested objects and lists', { a: { b: [1, { c: 2 }] }, d: 3 }, '{? "a" : {? "b" : [1,{? "c" : 2}]},? "d" : 3}'],
  ['empty objects and lists', { a: {}, b: [], '': 1 }, '{? "a" : {},? "b" : [],? "" : 1}'],
  ['quotes and control characters', 'a"\\\n\u0001', String.raw`"a\"\\\n\u0001"`],
  [
    'characters that the parser rejects or changes',
    '\u007f\u0085\ufffeé\u2028',
    String.raw`"\u007f\u0085\ufffe\u00e9\u2028"`,
  ],
  ['surrogate pairs as one character', { '🚢': 'a🚢b' }, String.raw`{? "\U0001f6a2" : "a\U0001f6a2b"}`],
])('values are written as YAML: %s', ([, value, yaml]) => {
  expect(valuesYaml(value)).toBe(yaml);
});

test('a megabyte of values that need escapes is written in full', () => {
  expect(valuesYaml('\ufffe🚢'.repeat(100_000))).toBe(`"${String.raw`\ufffe\U0001f6a2`.repeat(100_000)}"`);
});
