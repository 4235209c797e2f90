import { isJsonObject, type JsonValue, sameJson } from '@berth/shared/contracts/json';

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
