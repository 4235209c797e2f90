import type { Budget } from '@berth/chart-extensions/budget/budget';
import { copyJson, writeText } from '@berth/chart-extensions/budget/copy-json';
import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';

/**
 * Merges a layer into values that only the caller holds: the layer wins, maps are merged, everything else is replaced. A null
 * stays: Helm drops the chart's default for it. Only what the layer has is copied, so that many layers over a large map
 * do not copy it many times.
 */
export function mergeLayer(values: JsonObject, layer: JsonObject, budget: Budget): void {
  merge(values, layer, (key, value) => {
    writeText(key, budget);
    return copyJson(value, budget);
  });
}

/** The same with a layer that only the caller holds and that is counted already. */
export const mergeOwnLayer = (values: JsonObject, layer: JsonObject): void =>
  merge(values, layer, (_key, value) => value);

function merge(below: JsonObject, above: JsonObject, own: (key: string, value: JsonValue) => JsonValue): void {
  for (const [key, value] of Object.entries(above)) {
    const current = Object.hasOwn(below, key) ? below[key] : undefined;
    if (isJsonObject(current) && isJsonObject(value)) merge(current, value, own);
    else below[key] = own(key, value);
  }
}
