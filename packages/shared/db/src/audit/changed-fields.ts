import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';

/** `[old, new]` for each field that differs; for a created or deleted row, the missing side is null. */
export function changedFields(
  before: JsonObject | null,
  after: JsonObject | null,
): Record<string, [JsonValue, JsonValue]> {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const pairs = [...names].map((name): [string, [JsonValue, JsonValue]] => [
    name,
    [before?.[name] ?? null, after?.[name] ?? null],
  ]);
  return Object.fromEntries(pairs.filter(([, [old, now]]) => !isDeepStrictEqual(old, now)));
}
