import type { JsonValue } from '@berth/shared/contracts/json';
import { describe, expect, test } from 'vitest';
import { type ConfigDelta, configDelta } from './config-delta.ts';

describe('configDelta', () => {
  test.for<[string, JsonValue, JsonValue, ConfigDelta]>([
    ['is empty for equal values', { a: { b: [1] } }, { a: { b: [1] } }, {}],
    ['names a changed value by its dotted path', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { 'a.c': [2, 3] }],
    ['shows a new key as one that was null', {}, { a: 1 }, { a: [null, 1] }],
    ['shows a removed key as one that is null', { a: 1 }, {}, { a: [1, null] }],
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
    ['shows an object that replaces a value whole', { a: 1 }, { a: { b: 2 } }, { a: [1, { b: 2 }] }],
    ['names a difference at the root by the empty path', 1, { a: 1 }, { '': [1, { a: 1 }] }],
  ])('%s', ([, before, after, delta]) => {
    expect(configDelta(before, after)).toEqual(delta);
  });
});
