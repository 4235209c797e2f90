import type { JsonObject } from '@berth/shared/contracts/json';
import { describe, expect, test } from 'vitest';
import { deepMerge } from './deep-merge.ts';

describe('deepMerge', () => {
  test.for<[string, JsonObject[], JsonObject]>([
    [
      'merges maps at every depth',
      [{ a: { b: 1, c: { d: 2 } } }, { a: { c: { e: 3 } } }],
      { a: { b: 1, c: { d: 2, e: 3 } } },
    ],
    ['lets the later one win', [{ a: 1 }, { a: 2 }, { a: 3 }], { a: 3 }],
    ['replaces lists whole', [{ a: [1, 2] }, { a: [3] }], { a: [3] }],
    [
      'replaces a map by a value, and a value by a map',
      [
        { a: { b: 1 }, c: 1 },
        { a: 1, c: { d: 1 } },
      ],
      { a: 1, c: { d: 1 } },
    ],
    ['keeps null, which removes a default of the chart', [{ a: { b: 1 } }, { a: { b: null } }], { a: { b: null } }],
    ['does not take inherited properties for values', [{}, { toString: { a: 1 } }], { toString: { a: 1 } }],
  ])('%s', ([, layers, merged]) => {
    expect(deepMerge(...layers)).toEqual(merged);
  });

  test('leaves its arguments as they are', () => {
    const below = { a: { b: 1 } };

    deepMerge(below, { a: { b: 2 } });

    expect(below).toEqual({ a: { b: 1 } });
  });
});
