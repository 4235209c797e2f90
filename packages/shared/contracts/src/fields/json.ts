import { z } from 'zod';
import { harmIn } from './harmful-text.ts';
import { ruleWords } from './rule-words.ts';

export type JsonValue = z.core.util.JSONType;
export type JsonObject = { [key: string]: JsonValue };

/** Specification, "Request bodies". The limit also keeps recursive walks over a body within the stack. */
export const maxJsonDepth = 64;

/** Specification, "Request bodies": keys that pollute the prototype when an object is merged or copied carelessly. */
export const isForbiddenKey = (key: string): boolean => key === '__proto__' || key === 'constructor';

/** Equal as JSON, in any order of keys. */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false;
  }
  return true;
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a JSON text; undefined if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface JsonProblem {
  /** Relative to the checked value. */
  path: PropertyKey[];
  rule: string;
}

/** The first problem that keeps some service from carrying or storing the value; null if there is none. */
export function jsonProblem(value: unknown, depth = maxJsonDepth): JsonProblem | null {
  if (typeof value === 'string') return broken(harmIn(value));
  if (typeof value === 'number') return Number.isFinite(value) ? null : broken('must be a finite number');
  if (value === null || typeof value === 'boolean') return null;
  if (typeof value !== 'object') return broken('must be a JSON value');
  if (depth === 0) return broken(`must not be nested deeper than ${maxJsonDepth}`);
  // Plain loops, since this visits every member of every request; building a list of pairs first takes twice as long.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = within(index, jsonProblem(value[index], depth - 1));
      if (problem) return problem;
    }
    return null;
  }
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const problem = keyProblem(key) ?? within(key, jsonProblem(members[key], depth - 1));
    if (problem) return problem;
  }
  return null;
}

const broken = (rule: string | null): JsonProblem | null => (rule === null ? null : { path: [], rule });

// The path is built while returning, so valid values cost nothing extra.
const within = (key: PropertyKey, problem: JsonProblem | null): JsonProblem | null =>
  problem && { ...problem, path: [key, ...problem.path] };

function keyProblem(key: string): JsonProblem | null {
  if (isForbiddenKey(key)) return broken(`must not have a key named ${key}`);
  const harm = harmIn(key);
  return harm === null ? null : broken(`a key ${harm}`);
}

export const isJson = (value: unknown): value is JsonValue => jsonProblem(value) === null;

const checked = new WeakSet<object>();

/** Marks a value as valid JSON, so that the schemas below do not check it again. It must not be mutated afterwards: copy it. */
export function knownAsJson<T>(value: T): T {
  if (typeof value === 'object' && value !== null) checked.add(value);
  return value;
}

/** Adds the first problem of a value, with its path, to the issues of its schema. */
function checkJson(value: unknown, { addIssue }: z.RefinementCtx): void {
  // A row passes the schemas of its query, its answer and its state, but needs only one check.
  if (typeof value === 'object' && value !== null && checked.has(value)) return;
  const problem = jsonProblem(value);
  if (problem) addIssue({ code: 'custom', path: problem.path, message: problem.rule });
  else knownAsJson(value);
}

// Used instead of `z.json()`, which copies the whole value and tries six schemas at every level.
export const Json = z
  .custom<JsonValue>((value) => value !== undefined, { error: 'is required', abort: true })
  .superRefine(checkJson);

export const JsonObject = z
  .custom<JsonObject>(isJsonObject, { ...ruleWords('must be a JSON object'), abort: true })
  .superRefine(checkJson)
  .meta({ type: 'object', additionalProperties: true });
