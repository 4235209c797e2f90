import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { z } from 'zod';

/** A value that matches the schema of an answer. */
export const sampleOf = (schema: z.ZodType): JsonValue =>
  sample(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonObject);

function sample(schema: JsonObject): JsonValue {
  const { type, anyOf, format, minProperties, required = [], properties } = schema;
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null;
  const first = Array.isArray(anyOf) ? anyOf[0] : undefined;
  if (isJsonObject(first)) return sample(first);
  if (format === 'uuid') return '0b8a6b0e-0000-4000-8000-000000000001';
  if (format === 'date-time') return '2026-01-02T03:04:05.678Z';
  if (type === 'string') return 'text';
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'array') return [];
  if (type !== 'object') return null;

  const fields = isJsonObject(properties) ? properties : {};
  // If one of several fields is required, the last one is used.
  const names = minProperties === 1 ? Object.keys(fields).slice(-1) : (required as string[]);
  return Object.fromEntries(names.map((name) => [name, sample(fields[name] as JsonObject)]));
}
