import { z } from 'zod';
import { isHarmless } from './harmful-text.ts';
import { ruleWords } from './rule-words.ts';

export type JsonValue = z.core.util.JSONType;
export type JsonObject = { [key: string]: JsonValue };

/** Decision 1: deeper bodies are refused; it also keeps every recursive walk over one within its stack. */
export const maxJsonDepth = 64;

/** Decision 1: keys that reach behind an object when it is merged or copied carelessly. */
export const isForbiddenKey = (key: string): boolean => key === '__proto__' || key === 'constructor';

/** Equal as JSON: the order of keys does not count. */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON that every part can carry and store: no text that Postgres refuses, no key that reaches a prototype, bounded depth. */
export function isJson(value: unknown, depth = maxJsonDepth): value is JsonValue {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return isHarmless(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth - 1));
  return Object.entries(value).every(
    ([key, item]) => !isForbiddenKey(key) && isHarmless(key) && isJson(item, depth - 1),
  );
}

const rules = `of well-formed Unicode, without NUL characters or the keys __proto__ and constructor, at most ${maxJsonDepth} levels deep`;

// One walk instead of `z.json()`: that one copies the whole value and tries six schemas at every level of it.
export const Json = z.custom<JsonValue>((value) => isJson(value), ruleWords(`must be a JSON value ${rules}`));

export const JsonObject = z
  .custom<JsonObject>((value) => isJsonObject(value) && isJson(value), ruleWords(`must be a JSON object ${rules}`))
  .meta({ type: 'object', additionalProperties: true });
