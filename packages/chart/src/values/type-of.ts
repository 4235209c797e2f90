import type { Schema } from './schema.ts';

/** What a value may be, in words. */
export function typeOf(schema: Schema): string {
  const { type, enum: choices, anyOf, minimum, maximum, items } = schema;
  if (Array.isArray(choices)) return choices.map((choice) => (choice === '' ? '""' : String(choice))).join(' or ');
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (Array.isArray(type)) return type.map((one) => words[one] ?? one).join(' or ');
  if (type === 'integer') return `number from ${String(minimum)} to ${String(maximum)}`;
  if (type === 'array') return isSchema(items) && items['type'] ? `list: ${typeOf(items)}` : 'list';
  return words[String(type)] ?? 'any';
}

const words: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  object: 'map',
  number: 'number',
};

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
