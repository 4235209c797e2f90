import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sampleOf } from '@berth/testing/contracts/sample-of';
import { examples } from '../openapi/examples.ts';
import { resources } from '../resources/index.ts';
import { exactShape } from './exact-shape.ts';

const Boat = z.strictObject({
  name: z.string().regex(/^[A-Z]/),
  mast: z.strictObject({ height: z.number(), wood: z.enum(['oak', 'pine']).nullable() }),
  crew: z.array(z.strictObject({ name: z.string(), captain: z.literal(true).optional() })),
  holds: z.record(z.string(), z.tuple([z.number(), z.boolean()])),
  goes: z.union([z.strictObject({ to: z.string() }), z.null()]),
  flag: z.union([
    z.strictObject({ name: z.string() }),
    z.strictObject({ colours: z.array(z.union([z.strictObject({ hue: z.number() }), z.string()])) }),
  ]),
  papers: z.custom((value) => value !== undefined),
});
const boat = {
  name: 'Ada',
  mast: { height: 12, wood: 'oak' },
  crew: [{ name: 'Bea', captain: true }, { name: 'Cid' }],
  holds: { fore: [1, true] },
  goes: { to: 'Hull' },
  flag: { colours: [{ hue: 1 }, 'red'] },
  papers: { any: ['thing'] },
};
const isBoat = exactShape(Boat);

describe('a shape', () => {
  test("fits a value with the schema's fields and types, whatever its other rules are", () => {
    expect(isBoat?.(boat)).toBe(true);
    expect(isBoat?.({ ...boat, name: 'ada', goes: null, mast: { height: 1, wood: null }, crew: [], holds: {} })).toBe(
      true,
    );
  });

  class Row {
    readonly to = 'Hull';
    toJSON() {
      return { secret: 'hunter2' };
    }
  }
  test.for([
    ['an unknown field', { ...boat, secret: 1 }],
    ['an unknown field that is undefined', { ...boat, secret: undefined }],
    ['an unknown field in place of an optional one', { ...boat, crew: [{ name: 'Bea', secret: true }] }],
    ['an unknown field of an object', { ...boat, mast: { ...boat.mast, secret: 1 } }],
    ['an unknown field of an option', { ...boat, goes: { to: 'Hull', secret: 1 } }],
    ['a field named like one that all objects have', { ...boat, constructor: 1 }],
    ['an instance of a class with a toJSON', { ...boat, goes: new Row() }],
    ['an unknown field of the second item of a list', { ...boat, crew: [{ name: 'Bea' }, { name: 'Cid', secret: 1 }] }],
    ['an item of another type', { ...boat, crew: [{ name: 'Bea' }, { name: 2 }] }],
    ['an item that is a list', { ...boat, crew: [[{ name: 'Bea' }]] }],
    ['an entry of another type', { ...boat, holds: { fore: [1, true], aft: [1, 'true'] } }],
    ['a value of no option', { ...boat, goes: { from: 'Hull' } }],
    ['an unknown field of an option within an option', { ...boat, flag: { colours: [{ hue: 1, secret: 1 }] } }],
    ['fields of two options at once', { ...boat, flag: { colours: [], name: 'Jack' } }],
    ['a missing field', { ...boat, name: undefined }],
    ['another type', { ...boat, name: 1 }],
    ['a number that JSON cannot hold', { ...boat, mast: { height: Number.NaN, wood: null } }],
    ['a time that is not text', { ...boat, name: new Date(0) }],
    ['a value outside of an enumeration', { ...boat, mast: { height: 1, wood: 'iron' } }],
    ['a tuple that is too long', { ...boat, holds: { fore: [1, true, 'secret'] } }],
    ['a list in place of an object', { ...boat, mast: [] }],
    ['an open value that is missing', { ...boat, papers: undefined }],
  ] as const)('does not fit %s', ([, value]) => {
    expect(isBoat?.(value)).toBe(false);
  });

  test.for([
    ['converts', z.strictObject({ at: z.string().transform(Number) })],
    ['has a default', z.strictObject({ at: z.string().default('') })],
    ['drops unknown fields', z.object({ at: z.string() })],
    ['allows unknown fields', z.looseObject({ at: z.string() })],
    ['restricts the keys of a record', z.partialRecord(z.enum(['a', 'b']), z.string())],
    ['allows a tuple of any length', z.tuple([z.string()], z.number())],
    ['contains such a schema', z.strictObject({ list: z.array(z.object({ at: z.string() })) })],
  ] as const)('is not made for a schema that %s', ([, schema]) => {
    expect(exactShape(schema)).toBeNull();
  });
});

const operations = resources.flatMap((resource) => Object.values(resource.operations));

describe('the shape of an answer', () => {
  test('exists for each operation but these', () => {
    const without = operations.filter(({ response }) => exactShape(response) === null);

    expect(without.map(({ resource, name }) => `${resource}.${name}`)).toEqual(['identities.current']);
  });

  test.for(operations.map((operation) => [`${operation.resource}.${operation.name}`, operation.response] as const))(
    '%s refuses another field of its samples wherever the schema does',
    ([name, response]) => {
      const shape = exactShape(response);
      if (!shape) return;
      for (const sample of [sampleOf(response), examples[name]?.answer]) {
        if (sample === undefined) continue;
        expect(shape(sample)).toBe(true);
        for (const spoiled of withAnotherField(sample)) {
          expect(shape(spoiled)).toBe(response.safeParse(spoiled).success);
        }
      }
    },
  );
});

/** The value with another field, once for each of its objects. */
function* withAnotherField(value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const spoiled of withAnotherField(item)) yield value.with(index, spoiled);
    }
    return;
  }
  yield { ...value, secret: 'hunter2' };
  for (const [key, item] of Object.entries(value)) {
    for (const spoiled of withAnotherField(item)) yield { ...value, [key]: spoiled };
  }
}
