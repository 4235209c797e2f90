import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';

/** `[old, new]` of each field that differs; a row that is created or deleted has null on the other side. */
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
