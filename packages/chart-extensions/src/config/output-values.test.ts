import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import { Budget } from '../budget/budget.ts';
import { sourceOf } from '../form/collection.ts';
import { configReferences } from './config-references.ts';
import { outputValues, type PropertyOf } from './output-values.ts';
import { ValuesUi } from '../form/values-ui.ts';

const id = '6b0e4b1c-2222-4222-8222-222222222222';
const other = '6b0e4b1c-3333-4333-8333-333333333333';

const inputs = [
  { id: 'a', type: 'text', label: 'A' },
  { id: 'b', type: 'number', label: 'B' },
  { id: 'hidden', type: 'text', label: 'H', showIfAll: [{ field: 'b', value: 7 }] },
  { id: 'when', type: 'DaysAndHour', label: 'W' },
  { id: 'db', type: 'CollectionSelect', label: 'D', collection: 'secrets' },
  {
    id: 'peers',
    type: 'array',
    itemType: 'CollectionSelect',
    label: 'P',
    collection: { deployment: 'Web', type: 'peer' },
  },
];

const value = (input: string) => ({ FieldValue: { input } });
const property = (input: string, name: string) => ({ FieldProperty: { input, property: name } });

function run(outputs: JsonObject, config: JsonObject, properties: Record<string, JsonValue> = {}) {
  const form = ValuesUi.parse({ inputs, outputs });
  const propertyOf: PropertyOf = (reference, name) => properties[`${reference.id}.${name}`];
  return outputValues(form, { config, propertyOf, budget: new Budget() });
}

/** The resulting values after `x` was written to each path in order. */
const valuesAt = (...paths: string[][]): JsonObject =>
  run({ values: paths.map((path) => ({ path, value: value('a') })) }, { a: 'x' }).values;

describe('output paths', () => {
  test.for<[string, string[][], JsonObject]>([
    ['a key', [['a']], { a: 'x' }],
    [
      'keys in keys',
      [
        ['a', 'b'],
        ['a', 'c'],
      ],
      { a: { b: 'x', c: 'x' } },
    ],
    ['a key with the name of an inherited property', [['toString', 'b']], { toString: { b: 'x' } }],
    ['a cell, preceded by nulls', [['a', '[2]']], { a: [null, null, 'x'] }],
    [
      'a cell before an existing one',
      [
        ['a', '[1]'],
        ['a', '[0]', 'b'],
      ],
      { a: [{ b: 'x' }, 'x'] },
    ],
    [
      'a new cell each time',
      [
        ['a', '[+]'],
        ['a', '[+]'],
      ],
      { a: ['x', 'x'] },
    ],
    [
      'a new cell, then the same cell',
      [
        ['a', '[+]', 'b'],
        ['a', '[=]', 'c'],
        ['a', '[+]', 'b'],
      ],
      { a: [{ b: 'x', c: 'x' }, { b: 'x' }] },
    ],
    ['the last cell of an empty list', [['a', '[=]', 'b']], { a: [{ b: 'x' }] }],
    ['lists in lists', [['a', '[0]', '[1]']], { a: [[null, 'x']] }],
    ['the same path twice', [['a'], ['a']], { a: 'x' }],
    ['brackets inside a key', [['a[0]']], { 'a[0]': 'x' }],
  ])('%s', ([, paths, values]) => {
    expect(valuesAt(...paths)).toEqual(values);
  });

  test.for<[string, string[][], RegExp]>([
    ['a key below a text', [['a'], ['a', 'b']], /a\.b of the chart cannot be set: b would be a key/],
    [
      'a cell of an object',
      [
        ['a', 'b'],
        ['a', '[0]'],
      ],
      /a\.\[0\] of the chart cannot be set: only a list can have cells/,
    ],
    ['more cells than the maximum', Array.from({ length: 1025 }, () => ['a', '[+]']), /more than 1024 cells/],
  ])('%s is refused with a reason', ([, paths, words]) => {
    expect(() => valuesAt(...paths)).toThrow(words);
  });
});

describe('outputs', () => {
  const at = (ref: JsonObject) => ({ values: [{ path: ['x'], value: ref }] });

  test('outputs of hidden inputs and of absent optional inputs are left out', () => {
    expect(run(at(value('hidden')), { hidden: 'x' }).values).toEqual({});
    expect(run(at(value('a')), {}).values).toEqual({});
  });

  test('outputs keep null, so that Helm removes the default', () => {
    expect(run(at(value('a')), { a: null }).values).toEqual({ x: null });
  });

  test('outputs do not change the config', () => {
    const config = { when: { run_days: '1', schedule: '10:00' }, a: 'UTC' };

    const { values } = run(
      {
        values: [
          { path: ['w'], value: value('when') },
          { path: ['w', 'zone'], value: value('a') },
        ],
      },
      config,
    );

    expect(values).toEqual({ w: { run_days: '1', schedule: '10:00', zone: 'UTC' } });
    expect(config.when).toEqual({ run_days: '1', schedule: '10:00' });
  });

  test('outputs read a property of the referenced item, or of each item in a list', () => {
    const properties = { [`${id}.name`]: 'main', [`${other}.name`]: 'spare' };

    expect(run(at(property('db', 'name')), { db: id }, properties).values).toEqual({ x: 'main' });
    expect(run(at(property('peers', 'name')), { peers: [id, other] }, properties).values).toEqual({
      x: ['main', 'spare'],
    });
    expect(run(at(property('db', 'name')), { db: null }).values).toEqual({});
  });

  test('an output of an item that lacks the property is refused with both names', () => {
    expect(() => run(at(property('peers', 'colour')), { peers: [id] })).toThrow(
      /input peers points to nothing that has the property colour/,
    );
  });

  test('outputs of a required input without a value are refused', () => {
    const form = ValuesUi.parse({ inputs: [{ ...inputs[0], required: true }], outputs: at(value('a')) });

    const sources = { config: {}, propertyOf: () => undefined, budget: new Budget() };
    expect(() => outputValues(form, sources)).toThrow('The input a is required');
  });

  test('outputs write Secrets: strings unchanged, other values as JSON, no Secret without keys', () => {
    const outputs = {
      secrets: {
        app: { text: value('a'), number: value('b'), absent: value('hidden') },
        empty: { absent: value('hidden') },
      },
    };

    expect(run(outputs, { a: 'x', b: 1 }).secrets).toEqual({ app: { text: 'x', number: '1' } });
  });
});

test('references of a config are those of its visible inputs, with lists item by item', () => {
  const form = ValuesUi.parse({
    inputs: [...inputs, { id: 'no', type: 'CollectionSelect', label: 'N', collection: 'envs', showIf: false }],
  });

  expect(configReferences(form, { db: id.toUpperCase(), peers: [other], no: id, a: id })).toEqual([
    { input: 'db', collection: 'secrets', id },
    { input: 'peers', collection: { deployment: 'Web', type: 'peer' }, id: other },
  ]);
});

test('a collection is a table, a resource type, or the older name of one', () => {
  expect(sourceOf('secrets')).toEqual({ table: 'secrets' });
  expect(sourceOf({ deployment: 'Web', type: 'peer' })).toEqual({ resourceType: { kind: 'Web', key: 'peer' } });
  expect(sourceOf('peer')).toEqual({ resourceType: { kind: null, key: 'peer' } });
});
