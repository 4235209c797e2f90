import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { withoutEnds } from '../../log/known-secrets.ts';
import { markedNumber, markerOf } from './marker-of.ts';

/** Shorter texts occur in unrelated values as well. */
const leastLength = 3;

/** The values with a marker in place of each secret; null if there are none. Outputs put secrets into values unchanged. */
export function markedValues(values: JsonObject, secrets: readonly string[]): JsonObject | null {
  const known = new Set(secrets.flatMap(withoutEnds).filter(({ length }) => length >= leastLength));
  if (known.size === 0) return null;
  let isMarked = false;
  const marked = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(marked);
    if (isJsonObject(value)) return markedIn(value);
    if (!known.has(String(value)) || typeof value === 'boolean' || value === null) return value;
    isMarked = true;
    return typeof value === 'number' ? markedNumber(value) : markerOf(value);
  };
  const markedIn = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, marked(value)]));
  const replaced = markedIn(values);
  return isMarked ? replaced : null;
}
