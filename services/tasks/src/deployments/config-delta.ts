import { isJsonObject, type JsonValue } from '@berth/shared/contracts/json';

export type ConfigDelta = Record<string, [JsonValue, JsonValue]>;

/** What changed, as a map from dotted path to `[old, new]` (decision 3): objects recurse, arrays compare whole, a missing side is null. */
export function configDelta(before: JsonValue, after: JsonValue): ConfigDelta {
  return Object.fromEntries(changes(before, after, ''));
}

function changes(before: JsonValue, after: JsonValue, path: string): [string, [JsonValue, JsonValue]][] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) =>
      changes(before[key] ?? null, after[key] ?? null, path === '' ? key : `${path}.${key}`),
    );
  }
  return sameJson(before, after) ? [] : [[path, [before, after]]];
}

/** Equal as JSON: the order of an object's keys does not matter, that of a list does. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index] ?? null));
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null))
    );
  }
  return a === b;
}
