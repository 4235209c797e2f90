import type { z } from 'zod';
import { isJsonObject } from '@berth/contracts/fields/json';

/**
 * Ignores unknown members, which charts of the upstream project may have. All else is validated as strictly as in Berth's own
 * charts.
 */
export function parseIgnoringUnknown<T>(schema: z.ZodType<T>, document: unknown): z.ZodSafeParseResult<T> {
  let candidate = structuredClone(document);
  for (;;) {
    const result = schema.safeParse(candidate);
    if (result.success) return result;
    const unknown = result.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
    if (unknown.length === 0) return result;
    for (const { path, keys } of unknown) candidate = without(candidate, path, keys);
  }
}

function without(document: unknown, [first, ...rest]: readonly PropertyKey[], keys: readonly string[]): unknown {
  if (Array.isArray(document)) {
    return document.map((item, index) => (index === first ? without(item, rest, keys) : item));
  }
  if (!isJsonObject(document)) return document;
  const entries = Object.entries(document);
  if (first === undefined) return Object.fromEntries(entries.filter(([key]) => !keys.includes(key)));
  return Object.fromEntries(entries.map(([key, item]) => [key, key === first ? without(item, rest, keys) : item]));
}
