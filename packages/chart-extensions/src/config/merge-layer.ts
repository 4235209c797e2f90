import type { Budget } from '../budget/budget.ts';
import { copyJson, writeText } from '../budget/copy-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';

/**
 * Merges a layer into values that the caller owns: the layer wins, maps are merged, everything else is replaced. A null stays, and
 * Helm then drops the chart's default. Only the layer's own members are copied, so that many layers over a large map stay cheap.
 */
export function mergeLayer(values: JsonObject, layer: JsonObject, budget: Budget): void {
  merge(values, layer, (key, value) => {
    writeText(key, budget);
    return copyJson(value, budget);
  });
}

/** The same with a layer that the caller owns and that is already counted. */
export const mergeOwnLayer = (values: JsonObject, layer: JsonObject): void =>
  merge(values, layer, (_key, value) => value);

function merge(below: JsonObject, above: JsonObject, own: (key: string, value: JsonValue) => JsonValue): void {
  for (const [key, value] of Object.entries(above)) {
    const current = Object.hasOwn(below, key) ? below[key] : undefined;
    if (isJsonObject(current) && isJsonObject(value)) merge(current, value, own);
    else below[key] = own(key, value);
  }
}
