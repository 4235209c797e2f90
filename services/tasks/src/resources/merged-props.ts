import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';

/** Given props replace stored ones, null removes a prop, and props that are no longer inputs are dropped. */
export function mergedProps(stored: JsonObject, given: JsonObject, inputs: readonly { id: string }[]): JsonObject {
  const known = new Set(inputs.map(({ id }) => id));
  const kept = Object.entries(stored).filter(([input]) => known.has(input));
  const merged = Object.entries({ ...Object.fromEntries(kept), ...given });
  return Object.fromEntries(merged.filter((entry): entry is [string, JsonValue] => entry[1] !== null));
}
