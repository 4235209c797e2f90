import { z } from 'zod';
import type { Operation, ServiceName } from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import { jsonBytes } from '@berth/contracts/fields/json-bytes';
import { UntestableContract } from './untestable-contract.ts';

/** Longer than any field may be, so a field that accepts it has no limit. */
const beyondAll = 8_192;

/** Characters of six bytes in JSON and one in UTF-8, of four bytes in both, and for fields that take few characters. */
const letters = ['\u0001', '😀', 'あ', 'z'];
const around: ((filling: string) => string)[] = [(filling) => filling, (filling) => `https://a.example/${filling}`];
const dnsName = `${'d'.repeat(50)}.`.repeat(6);

const singleValues = (mark: string): unknown[] => [
  false,
  true,
  '9999-12-31T23:59:59.999Z',
  ...Array.from({ length: 254 }, (_, length) => `${mark}${dnsName}`.slice(0, length + 1)),
];

const sizes = {
  /** The size that counts in answers and messages. */
  json: (value: unknown) => jsonBytes(value),
  /** The size that counts in Postgres and its indexes. */
  utf8: (value: unknown) => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)),
};

export interface LargestOptions {
  /** Fields whose value depends on other rows or has a special format. */
  given?: Record<string, unknown>;
  /** Digits added to every text to make each row unique. */
  mark?: string;
  largestAs?: keyof typeof sizes;
}

/** A body with the largest value that its schema accepts in every field. */
export function largestBody({ body }: Operation, options: LargestOptions = {}): Record<string, unknown> {
  if (!(body instanceof z.ZodObject)) throw new UntestableContract('only an object has fields');
  const { given = {} } = options;
  const fields = Object.entries(body.shape).map(([field, schema]) => {
    if (Object.hasOwn(given, field)) return [field, given[field]] as const;
    const value = largestValue(schema as z.ZodType, options);
    if (value === undefined) throw new UntestableContract(`no value is known that ${field} accepts`);
    return [field, value] as const;
  });
  return Object.fromEntries(fields);
}

/** Undefined if no known value fits the schema. */
function largestValue(schema: z.ZodType, { mark = '', largestAs = 'json' }: LargestOptions): unknown {
  const accepts = (value: unknown) => schema.safeParse(value).success;
  const texts = letters.flatMap((each) => around.map((shape) => longest(each, shape)));
  const known = [...singleValues(mark), ...enumOf(schema), ...texts].filter(
    (value) => value !== undefined && accepts(value),
  );
  const size = sizes[largestAs];
  return known.toSorted((a, b) => size(a) - size(b)).at(-1);

  /** Undefined if the field accepts no such value. */
  function longest(each: string, shape: (filling: string) => string): string | undefined {
    const textOf = (length: number) => shape(each.repeat(length) + mark);
    let [fits, tooLong] = [0, beyondAll];
    if (!accepts(textOf(1))) return undefined;
    if (accepts(textOf(tooLong))) throw new UntestableContract(`a field takes ${tooLong} characters: it has no bound`);
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2);
      if (accepts(textOf(middle))) fits = middle;
      else tooLong = middle;
    }
    return textOf(fits);
  }
}

const enumOf = (schema: z.ZodType): unknown[] =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).enum ?? [];

/** Resources of a service whose rows contain text from callers; the others have a fixed size. */
export const resourcesWithTexts = (owner: ServiceName): string[] =>
  resources
    .filter((resource) => resource.owner === owner && resource.state !== undefined)
    .filter(({ operations: { create, update } }) => [create, update].some((operation) => hasText(operation?.body)))
    .map(({ name }) => name);

const hasText = (body: unknown): boolean =>
  body instanceof z.ZodObject && Object.values(body.shape).some((schema) => takesText(schema as z.ZodType));

const takesText = (schema: z.ZodType): boolean =>
  ['any text', 'https://a.example/', 'a.example'].some((text) => schema.safeParse(text).success);
