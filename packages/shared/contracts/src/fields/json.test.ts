import { describe, expect, test } from 'vitest';
import { isJson, Json, JsonObject, type JsonValue, knownAsJson, maxJsonDepth, sameJson } from './json.ts';

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

describe('isJson', () => {
  test.for([
    ['null', null, true],
    ['nested values', { a: [1, 'x', false, { b: null }] }, true],
    ['a NUL in a text', { a: ['x\0'] }, false],
    ['a NUL in a key', { 'a\0': 1 }, false],
    ['half of a surrogate pair in a text', { a: ['x\ud83d'] }, false],
    ['half of a surrogate pair in a key', { 'x\udea2': 1 }, false],
    ['a surrogate pair', { '🚢': ['🚢'] }, true],
    ['a key that could reach a prototype', JSON.parse('{"a":{"__proto__":1}}'), false],
    ['the key constructor', { constructor: 1 }, false],
    ['undefined', { a: undefined }, false],
    ['a number that JSON cannot hold', Number.NaN, false],
    ['a function', () => 1, false],
    ['the greatest permitted depth', nested(maxJsonDepth), true],
    ['a level more', nested(maxJsonDepth + 1), false],
  ] as const)('%s', ([, value, answer]) => {
    expect(isJson(value)).toBe(answer);
  });
});

describe('sameJson', () => {
  test.for<[string, JsonValue | undefined, JsonValue | undefined, boolean]>([
    ['objects whose keys are in another order', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ['lists in another order', [1, 2], [2, 1], false],
    ['an object with an additional key', { a: 1 }, { a: 1, b: null }, false],
    ['a list and an object', [], {}, false],
    ['a number and its text', 1, '1', false],
    ['absent and null', undefined, null, false],
    ['a key that exists only in the prototype', { toString: 1 }, { a: 1 }, false],
  ])('%s', ([, a, b, answer]) => {
    expect(sameJson(a, b)).toBe(answer);
    expect(sameJson(b, a)).toBe(answer);
  });
});

describe('the schemas of JSON', () => {
  /** Counts how often its members are read. */
  function counted(members: object) {
    const count = { walks: 0 };
    const ownKeys = (target: object) => {
      count.walks += 1;
      return Reflect.ownKeys(target);
    };
    return { value: new Proxy(members, { ownKeys }), count };
  }

  test('a value that was accepted once is not checked again', () => {
    const { value, count } = counted({ a: 1 });

    for (const schema of [JsonObject, Json, JsonObject]) expect(schema.parse(value)).toBe(value);

    expect(count.walks).toBe(1);
  });

  test('a value that was refused is checked and refused again', () => {
    const value = { a: ['x\0'] };

    for (const schema of [JsonObject, Json, JsonObject]) expect(schema.safeParse(value).success).toBe(false);
  });

  test('a value that is marked as JSON is not checked', () => {
    const { value, count } = counted({ a: 1 });

    expect(JsonObject.parse(knownAsJson(value))).toBe(value);

    expect(count.walks).toBe(0);
  });
});
