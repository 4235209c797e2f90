import { expect, test, vi } from 'vitest';
import { JsonTooLarge, parseBoundedJson, parsedBoundedJson } from './bounded-json.ts';

const limits = { depth: 3, members: 4 };

test.for([
  ['an object', '{"a":[{"b":1}]}', { a: [{ b: 1 }] }],
  ['text that is not ASCII', '{"ü":"😀"}', { ü: '😀' }],
  ['as many members as are allowed', '[1,2,3,4]', [1, 2, 3, 4]],
] as const)('%s is parsed, from text and from bytes', ([, json, value]) => {
  expect(parseBoundedJson(json, limits)).toEqual(value);
  expect(parseBoundedJson(Buffer.from(json), limits)).toEqual(value);
});

test.for([
  ['more members', '[1,2,3,4,5]'],
  ['more levels', '[[[[]]]]'],
  ['two million empty arrays', `[${'[],'.repeat(2_000_000)}[]]`],
])('%s than are allowed are not parsed', ([, json = '']) => {
  const bytes = Buffer.from(json);
  using parse = vi.spyOn(JSON, 'parse');

  expect(() => parseBoundedJson(bytes, limits)).toThrow(JsonTooLarge);
  expect(parsedBoundedJson(bytes, limits)).toBeUndefined();
  expect(parse).not.toHaveBeenCalled();
});

test('text that is not JSON is an error, or undefined', () => {
  expect(() => parseBoundedJson('{a}')).toThrow(SyntaxError);
  expect(parsedBoundedJson('{a}')).toBeUndefined();
});
