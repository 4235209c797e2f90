import type { JsonValue } from '@berth/contracts/fields/json';
import { describe, expect, test } from 'vitest';
import { type ConfigDelta, configDelta } from './config-delta.ts';

describe('configDelta', () => {
  test.for<[string, JsonValue, JsonValue, ConfigDelta]>([
    ['is empty for equal values', { a: { b: [1] } }, { a: { b: [1] } }, {}],
    ['names a changed value by its dotted path', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { 'a.c': [2, 3] }],
    ['shows an added key as changed from null', {}, { a: 1 }, { a: [null, 1] }],
    ['shows a removed key as changed to null', { a: 1 }, {}, { a: [1, null] }],
    [
      'compares lists whole',
      { a: [1, 2] },
      { a: [1, 3] },
      {
        a: [
          [1, 2],
          [1, 3],
        ],
      },
    ],
    ['names a difference at the root by an empty path', { a: 1 }, { a: { b: 2 } }, { a: [1, { b: 2 }] }],
    ['names a difference at the root by the empty path', 1, { a: 1 }, { '': [1, { a: 1 }] }],
  ])('%s', ([, before, after, delta]) => {
    expect(configDelta(before, after)).toEqual(delta);
  });

  test('ignores inherited properties', () => {
    const after = Object.fromEntries([['toString', 1]]);

    expect(Object.entries(configDelta({}, after) ?? {})).toEqual([['toString', [null, 1]]]);
  });

  test('is null where the repeated paths of a few inputs would fill the memory', () => {
    const leaves = (value: number) => Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, value]));
    const prefix = 'x'.repeat(200_000);

    expect(configDelta({ [prefix]: leaves(1) }, { [prefix]: leaves(2) })).toBeNull();
    expect(Object.keys(configDelta({ a: leaves(1) }, { a: leaves(2) }) ?? {})).toHaveLength(20_000);
  });

  test('is null where both sides together are too large', () => {
    expect(configDelta({ a: 'x'.repeat(600_000) }, { a: 'y'.repeat(600_000) })).toBeNull();
    expect(configDelta({ a: 'x'.repeat(500_000) }, { a: 'y'.repeat(500_000) })).not.toBeNull();
  });
});
