import { Bug } from '@berth/contracts/errors';
import { isForbiddenKey, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import type { Budget } from './budget.ts';

/** A deep copy. Its bytes as JSON are counted before they are copied. */
export function copyJson(value: JsonValue, budget: Budget): JsonValue {
  budget.step();
  if (typeof value !== 'object' || value === null) {
    budget.write(jsonBytes(value));
    return value;
  }
  if (Array.isArray(value)) {
    budget.write(2 + value.length);
    return value.map((item) => copyJson(item, budget));
  }
  budget.write(2);
  const copy: JsonObject = {};
  // Without a list of pairs, which would take twice as long for an object with ten thousand members.
  for (const key of Object.keys(value)) {
    if (isForbiddenKey(key)) throw new Bug(`a value was accepted although it has a key named ${key}`);
    writeText(key, budget);
    copy[key] = copyJson(value[key] ?? null, budget);
  }
  return copy;
}

/** Counts a text, as a key or a value, with the comma or colon after it. */
export const writeText = (text: string, budget: Budget): void => budget.write(jsonBytes(text) + 2);

/** Strings that JSON does not escape. Most strings match, and the check is cheaper than serializing them. */
const plain = /^[ !#-[\]-~]*$/;

/** Bytes of a string or another scalar as JSON in UTF-8. */
function jsonBytes(value: string | number | boolean | null): number {
  if (typeof value !== 'string') return String(value).length;
  return plain.test(value) ? value.length + 2 : new TextEncoder().encode(JSON.stringify(value)).length;
}
