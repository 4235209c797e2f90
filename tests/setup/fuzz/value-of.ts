import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import * as fc from 'fast-check';

export interface Vocabulary {
  /** The named schemas of the document. */
  schemas: JsonObject;
  /** Ids of rows that exist. */
  ids: readonly string[];
  /** Ids by the fields that hold them, such as `env_id`. */
  idsIn: Readonly<Record<string, readonly string[]>>;
}

/** Mostly ids of rows of the expected resource. */
export function idOf({ ids, idsIn }: Vocabulary, field: string): fc.Arbitrary<string> {
  const fitting = idsIn[field] ?? ids;
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...fitting) },
    { weight: 2, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: fc.uuid() },
  );
}

type Values = fc.Arbitrary<JsonValue>;

const numberOr = (value: JsonValue | undefined, fallback: number): number =>
  typeof value === 'number' ? value : fallback;

/** Values that match a JSON schema of the OpenAPI document. */
export function valueOf(schema: JsonValue | undefined, words: Vocabulary, field = 'id', depth = 0): Values {
  if (!isJsonObject(schema) || depth > 8) return fc.constant(null);
  const { $ref, anyOf, oneOf, type } = schema;
  const inner = (part: JsonValue | undefined, name = field): Values => valueOf(part, words, name, depth + 1);

  if (typeof $ref === 'string') return inner(words.schemas[$ref.split('/').at(-1) ?? '']);
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return fc.oneof(...choices.map((choice) => inner(choice)));
  switch (type) {
    case 'string':
      return textOf(schema, words, field);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number': {
      const min = numberOr(schema['minimum'], -1_000);
      return fc.integer({ min, max: Math.max(min, numberOr(schema['maximum'], 1_000_000)) });
    }
    case 'array':
      return fc.array(inner(schema['items']), {
        minLength: Math.min(3, numberOr(schema['minItems'], 0)),
        maxLength: Math.min(3, numberOr(schema['maxItems'], 3)),
      });
    case 'object':
      return objectOf(schema, inner);
    case 'null':
      return fc.constant(null);
    default:
      return anything;
  }
}

const anything = fc.jsonValue({ maxDepth: 2 }) as Values;

function textOf({ format, pattern, ...limits }: JsonObject, words: Vocabulary, field: string): Values {
  if (format === 'uuid') return idOf(words, field);
  if (format === 'date-time') {
    const [min, max] = [new Date('2020-01-01'), new Date('2040-01-01')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (format === 'uri') return fc.webUrl();
  if (typeof pattern === 'string') return matching(pattern);
  const minLength = numberOr(limits['minLength'], 0);
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, numberOr(limits['maxLength'], 20)) });
}

/** Values cannot be generated from some patterns. */
function matching(pattern: string): Values {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'));
  } catch {
    return fc.string({ minLength: 1, maxLength: 10 });
  }
}

function objectOf(
  { properties, required, additionalProperties }: JsonObject,
  inner: (part: JsonValue, name?: string) => Values,
): Values {
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  if (fields.length === 0) {
    const values = isJsonObject(additionalProperties) ? inner(additionalProperties) : anything;
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), values, { maxKeys: 3 }) as Values;
  }
  const shape = Object.fromEntries(
    fields.map(([name, field]) => [name, field === undefined ? anything : inner(field, name)]),
  );
  const names = (Array.isArray(required) ? required : []).filter((name) => typeof name === 'string' && name in shape);
  return fc.record(shape, { requiredKeys: names as string[], noNullPrototype: true }) as Values;
}

/** Values that hardly any field accepts. */
export const wrongValue: Values = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    -1,
    1e308,
    0.1,
    true,
    '',
    'null',
    '\u0000',
    '\ud800',
    "' or 1=1 --",
    '%',
    '../../etc/passwd',
    '{{ 7 * 7 }}',
    'x'.repeat(20_000),
    [],
    {},
    [[[[]]]],
  ),
  anything,
);
