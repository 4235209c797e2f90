import { z } from 'zod';
import { isJsonObject } from '@berth/contracts/fields/json';

/**
 * A strict object whose optional members may be null, as YAML authors and older tools write them. These nulls are dropped, except
 * in members whose schema allows null.
 */
export function nullsAbsent<S extends z.ZodRawShape>(shape: S) {
  const nullable = new Set(
    Object.entries(shape)
      .filter(([, schema]) => z.safeParse(schema, null).success)
      .map(([key]) => key),
  );
  const withoutNulls = (value: unknown): unknown =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).filter(([key, member]) => member !== null || nullable.has(key)))
      : value;

  return z.preprocess(withoutNulls, z.strictObject(shape));
}
