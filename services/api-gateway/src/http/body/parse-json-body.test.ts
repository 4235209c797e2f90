import { faultsOf, forEachInput, worstJson } from '@berth/testing/worst-inputs';
import { AppError } from '@berth/contracts/errors';
import { expect, test, vi } from 'vitest';
import { parseJsonBody } from './parse-json-body.ts';

const refusal = (body: string | Buffer) => {
  try {
    parseJsonBody(Buffer.from(body));
    return null;
  } catch (error) {
    return error instanceof AppError ? { code: error.code, errors: error.errors } : error;
  }
};
const invalid = (path: string, message: string) => ({ code: 'invalid', errors: [{ path, message }] });

const sameName = 'must not have two members with the same name';
const losesDigits = 'must be a string: an integer beyond 2^53 would lose digits';

test('a valid JSON body is parsed', () => {
  expect(parseJsonBody(Buffer.from('{"a":[1,"ü",null]}'))).toEqual({ a: [1, 'ü', null] });
});

test.for([
  ['text that is not JSON', '{a}', invalid('body', 'must be valid JSON in UTF-8')],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), invalid('body', 'must be valid JSON in UTF-8')],
  ['a byte order mark', '\uFEFF{}', invalid('body', 'must be valid JSON in UTF-8')],
  ['__proto__', '{"a":{"__proto__":{}}}', invalid('body.a', 'must not have a key named __proto__')],
  ['constructor', '{"constructor":{"prototype":{}}}', invalid('body', 'must not have a key named constructor')],
  ['NUL in a value', '{"a":["\\u0000"]}', invalid('body.a[0]', 'must not contain a NUL character')],
  ['NUL in a key', '{"\\u0000":1}', invalid('body', 'must not contain a NUL character')],
  ['a lone surrogate', '{"a":"\\ud800"}', invalid('body.a', 'must be well-formed Unicode')],
  ['a number beyond a double', '{"a":1e400}', invalid('body.a', 'must be a number within the range of a double')],
  ['an integer that loses digits', '{"a":[0,9007199254740993]}', invalid('body.a[1]', losesDigits)],
  ['two members with the same name', '{"a":{"b":1,"c":[{"b":2}],"b":2}}', invalid('body.a', sameName)],
  ['two members with the same name, one of them escaped', '[{"b":1,"\\u0062":2}]', invalid('body[0]', sameName)],
  ['nesting of 65', `${'['.repeat(65)}${']'.repeat(65)}`, invalid('body', 'must not be nested deeper than 64')],
  [
    'nesting of 100,000',
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    invalid('body', 'must not be nested deeper than 64'),
  ],
  [
    'more than 10,000 members',
    JSON.stringify(Array.from({ length: 10_001 }, () => 0)),
    invalid('body', 'must not have more than 10000 members in total'),
  ],
] as const)('a body with %s is refused', ([, body, expected]) => {
  expect(refusal(body as string | Buffer)).toEqual(expected);
});

test.for([
  ['half a million members', `[${'0,'.repeat(500_000)}0]`],
  ['half a million empty objects', `[${'{},'.repeat(300_000)}{}]`],
  ['half a million levels', '['.repeat(500_000)],
])('a body with %s is refused without parsing it', ([, body = '']) => {
  const bytes = Buffer.from(body);
  using parse = vi.spyOn(JSON, 'parse');

  expect(refusal(bytes)).toMatchObject({ code: 'invalid' });
  expect(parse).not.toHaveBeenCalled();
});

test('a body with 10,000 members, one of them an empty object, is accepted', () => {
  expect(refusal(`[${'0,'.repeat(9_999)}{}]`)).toBeNull();
});

test('a body nested 64 deep is accepted', () => {
  expect(refusal(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeNull();
});

test.for([
  ['the same name on two levels', '{"a":{"a":1},"b":[{"a":1},{"a":2}]}'],
  ['braces, colons and quotes in text', '{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\","c":",:"}'],
  ['large numbers that a double can represent', '[1e300,-1.5,9007199254740991,0.1234567890123456789]'],
])('a body with %s is accepted', ([, body = '']) => {
  expect(refusal(body)).toBeNull();
});

test('the costliest bodies block the event loop for milliseconds only', async () => {
  expect(await faultsOf(forEachInput(worstJson(2 ** 20), async (json) => refusal(json)))).toEqual([]);
});
