import { Budget } from '../budget/budget.ts';
import type { JsonObject } from '@berth/contracts/fields/json';
import { describe, expect, test } from 'vitest';
import { mergeLayer, mergeOwnLayer } from './merge-layer.ts';

function merged(layers: readonly JsonObject[]): JsonObject {
  const values: JsonObject = {};
  for (const layer of layers) mergeLayer(values, layer, new Budget());
  return values;
}

describe('mergeLayer', () => {
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
    ['ignores inherited properties', [{}, { toString: { a: 1 } }], { toString: { a: 1 } }],
  ])('%s', ([, layers, values]) => {
    expect(merged(layers)).toEqual(values);
  });

  test('leaves the layers as they are', () => {
    const below = { a: { b: 1 } };
    const above = { a: { c: [{ d: 1 }] } };

    const values = merged([below, above, { a: { b: 2 } }]);
    Object.assign(values, { a: 7 });

    expect([below, above]).toEqual([{ a: { b: 1 } }, { a: { c: [{ d: 1 }] } }]);
  });

  test('takes time in proportion to the layers, however large the values are', () => {
    const values: JsonObject = {};
    mergeOwnLayer(values, { a: Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`k${index}`, index])) });
    const budget = new Budget();

    for (let path = 0; path < 200; path += 1) mergeLayer(values, { a: { [`t${path}`]: [1] } }, budget);

    expect(budget.spent.steps).toBeLessThan(2_000);
  });
});
