import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test.for<[string, unknown, string]>([
  ['objects by the order of their keys', { b: 1, a: { d: null, c: 'x' } }, '{"a":{"c":"x","d":null},"b":1}'],
  ['lists as they are', [2, [1, []], {}], '[2,[1,[]],{}]'],
  ['absent members as no members', { a: undefined, b: [undefined], c: { d: undefined } }, '{"b":[null],"c":{}}'],
  ['times as texts', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ['keys by their UTF-16 units', { '\uff5e': 1, '🚢': 2, é: 3, Z: 4, a: 5 }, '{"Z":4,"a":5,"é":3,"🚢":2,"\uff5e":1}'],
  ['nothing as null', undefined, 'null'],
])('canonical JSON writes %s', ([, value, text]) => {
  expect(canonicalJson(value)).toBe(text);
});
