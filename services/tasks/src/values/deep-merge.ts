import { isJsonObject, type JsonObject, type JsonValue } from '@berth/shared/contracts/json';

/** Later wins; maps are merged, everything else is replaced. A null stays: Helm drops the chart's default for it. */
export const deepMerge = (...layers: JsonObject[]): JsonObject => layers.reduce<JsonObject>(merge, {});

const merge = (below: JsonObject, above: JsonObject): JsonObject =>
  Object.fromEntries([
    ...Object.entries(below),
    ...Object.entries(above).map(([key, value]) => [key, mergeValue(ownValue(below, key), value)] as const),
  ]);

const ownValue = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const mergeValue = (below: JsonValue | undefined, above: JsonValue): JsonValue =>
  isJsonObject(below) && isJsonObject(above) ? merge(below, above) : above;
