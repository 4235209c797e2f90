import type { JsonObject, JsonValue } from '@berth/client';
import { isJsonObject } from '@berth/contracts/fields/json';

interface ChangedInput {
  id: string;
  label: string;
  words: string;
}

const wordsOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

/** The inputs of a form that differ from its initial values. Sensitive ones are named without their values. */
export function changedInputs(form: JsonObject | null, config: JsonObject): { changed: ChangedInput[]; total: number } {
  const inputs = form?.['inputs'];
  const known = (Array.isArray(inputs) ? inputs : []).filter(isJsonObject);
  if (form === null) {
    const all = Object.entries(config).map(([id, value]) => ({ id, label: id, words: wordsOf(value) }));
    return { changed: all, total: all.length };
  }
  const changed = known.flatMap(({ id, label, initialValue, sensitive }) => {
    const value = typeof id === 'string' ? config[id] : undefined;
    if (typeof id !== 'string' || value === undefined || value === null) return [];
    if (JSON.stringify(value) === JSON.stringify(initialValue ?? null)) return [];
    return [
      { id, label: typeof label === 'string' ? label : id, words: sensitive === true ? 'hidden' : wordsOf(value) },
    ];
  });
  return { changed, total: known.length };
}
