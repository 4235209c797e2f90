import { maxInputBytes } from '@berth/contracts/resources/deployments/deployment-inputs';
import { isJsonObject, type JsonValue, sameJson } from '@berth/contracts/fields/json';
import { jsonBytes } from '@berth/contracts/fields/json-bytes';

export type ConfigDelta = Record<string, [JsonValue, JsonValue]>;

/** The limit for both sides together. Each path repeats the keys above it, so a few bytes of input could become many. */
const mostBytes = 2 * maxInputBytes + 64 * 1024;
const bytesAround = 10;

/**
 * The changes as a map from dotted path to `[old, new]`: objects recurse, arrays compare whole, a missing side is null. Null if
 * it is too large to store.
 */
export function configDelta(before: JsonValue, after: JsonValue): ConfigDelta | null {
  const delta: ConfigDelta = {};
  let bytes = 0;
  for (const [path, pair] of changes(before, after, '')) {
    bytes += bytesAround + jsonBytes(path) + jsonBytes(pair);
    if (bytes > mostBytes) return null;
    delta[path] = pair;
  }
  return delta;
}

function* changes(before: JsonValue, after: JsonValue, path: string): Generator<[string, [JsonValue, JsonValue]]> {
  if (!isJsonObject(before) || !isJsonObject(after)) {
    if (!sameJson(before, after)) yield [path, [before, after]];
    return;
  }
  const valueOf = (object: typeof before, key: string) => (Object.hasOwn(object, key) ? (object[key] ?? null) : null);
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* changes(valueOf(before, key), valueOf(after, key), path === '' ? key : `${path}.${key}`);
  }
}
