import { z } from 'zod';
import type { JsonObject, JsonValue } from '../fields/json.ts';

export interface SchemaWriter {
  /** The schema of a request. */
  input(schema: z.ZodType): JsonObject;
  /** The schema of an answer. */
  output(schema: z.ZodType): JsonObject;
  /** The named schemas that were referred to so far. */
  components(): Record<string, JsonObject>;
}

type Direction = 'input' | 'output';

const componentRef = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** Writes zod schemas as JSON Schema: named ones once, then by reference. */
export function schemaWriter(names: ReadonlyMap<z.ZodType, string>): SchemaWriter {
  const components: Record<string, JsonObject> = {};

  const write = (schema: z.ZodType, io: Direction): JsonObject => {
    const name = names.get(schema);
    if (!name) return convert(schema, io);
    // Registered before it is complete, so that schemas that refer to themselves terminate.
    if (!components[name]) {
      components[name] = {};
      components[name] = convert(schema, io);
    }
    return componentRef(name);
  };

  const convert = (schema: z.ZodType, io: Direction): JsonObject => {
    const { $schema: _, ...converted } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema, path }) => {
        const inner = zodSchema as unknown as z.ZodType;
        if (path.length > 0 && names.has(inner)) replaceWith(jsonSchema, write(inner, io));
        withoutNoise(jsonSchema);
        if (isWire(jsonSchema.wire)) replaceWith(jsonSchema, jsonSchema.wire);
      },
    });
    return converted as JsonObject;
  };

  return {
    input: (schema) => write(schema, 'input'),
    output: (schema) => write(schema, 'output'),
    components: () => components,
  };
}

/** Drops rules that the format already implies, and the range of safe integers. */
function withoutNoise(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === 'uuid' || schema.format === 'date-time') delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

const isWire = (value: unknown): value is Record<string, JsonValue> => typeof value === 'object' && value !== null;

function replaceWith(target: Record<string, unknown>, replacement: Record<string, JsonValue>): void {
  const { description } = target;
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, description !== undefined && { description }, replacement);
}
