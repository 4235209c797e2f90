import { describe, expect, test } from 'vitest';
import { jsonBytes, jsonObjectWithin } from './json-bytes.ts';

describe('jsonBytes', () => {
  test.for<[string, unknown]>([
    ['plain values', { a: [1, 'x', true, null, false], b: {}, c: [] }],
    ['quotes and backslashes', { '"\\': '"\\/' }],
    ['control characters', '\u0001\n\t\u007f'],
    ['letters of every length in UTF-8', 'aäख😀'],
    ['numbers with an exponent', [1e21, -1e300, 1e-300, 5e-324, 1.7976931348623157e308]],
    ['long numbers', [1e20, 123456789012345680000, 0.000001, -0]],
  ])('is never less than the JSON of %s', ([, value]) => {
    expect(jsonBytes(value)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
  });

  test('counts every digit that Postgres prints of a number', () => {
    expect(jsonBytes(1e308)).toBeGreaterThanOrEqual(309);
    expect(jsonBytes(5e-324)).toBeGreaterThanOrEqual(326);
  });

  test('does not measure values that are nested too deep, since another rule refuses them', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];

    expect(jsonBytes(value)).toBe(256);
  });
});

test('an object over the byte limit is refused, and the message names the limit', () => {
  const schema = jsonObjectWithin(20);

  expect(schema.safeParse({ a: 'x'.repeat(9) }).success).toBe(true);
  expect(schema.safeParse({ a: 'x'.repeat(10) }).error?.issues).toMatchObject([
    { message: 'must take at most 20 bytes as JSON' },
  ]);
  expect(schema.safeParse([]).success).toBe(false);
});
