import { isJsonObject, type JsonValue } from '@berth/contracts/fields/json';
import type { Budget } from './budget.ts';

/** Like `sameJson`, but counted: values of a config may be much larger than those of a chart. */
export function sameValue(a: JsonValue, b: JsonValue, budget: Budget): boolean {
  budget.step();
  if (typeof a === 'string' && typeof b === 'string') return sameText(a, b, budget);
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index] ?? null, budget))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(b);
  budget.step(keys.length);
  return (
    keys.length === Object.keys(a).length &&
    keys.every((key) => Object.hasOwn(a, key) && sameValue(a[key] ?? null, b[key] ?? null, budget))
  );
}

export function sameText(a: string, b: string, budget: Budget): boolean {
  if (a.length !== b.length) return false;
  budget.step(Math.ceil(a.length / 1024));
  return a === b;
}
