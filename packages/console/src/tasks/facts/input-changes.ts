import type { JsonObject, JsonValue } from '@berth/client';
import { isJsonObject } from '@berth/contracts/fields/json';

/** The values before and after by dotted path; an absent value is null. Objects are compared by key, lists as a whole. */
export type Delta = Record<string, readonly [JsonValue, JsonValue]>;

/** The difference in the form in which a task records that of its inputs. */
export function deltaOf(before: JsonObject | null, after: JsonObject | null, path = ''): Delta {
  const [a, b] = [before ?? {}, after ?? {}];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.assign(
    {},
    ...keys.map((key) => {
      const [old, next] = [a[key], b[key]];
      const at = path === '' ? key : `${path}.${key}`;
      if (isJsonObject(old) && isJsonObject(next)) return deltaOf(old, next, at);
      return JSON.stringify(old ?? null) === JSON.stringify(next ?? null) ? {} : { [at]: [old ?? null, next ?? null] };
    }),
  );
}

export interface InputLine {
  id: string;
  label: string;
  /** Null if the input has no value. */
  value: string | null;
  before: string | null;
  isChanged: boolean;
}

interface FormInput {
  id: string;
  label: string;
  isSensitive: boolean;
}

function inputsOf(form: JsonObject | null): FormInput[] {
  const inputs = form?.['inputs'];
  return (Array.isArray(inputs) ? inputs : []).flatMap((input) => {
    if (!isJsonObject(input)) return [];
    const { id, label, sensitive } = input;
    if (typeof id !== 'string') return [];
    return [{ id, label: typeof label === 'string' ? label : id, isSensitive: sensitive === true }];
  });
}

const shown = (value: JsonValue | undefined): string | null => {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** The inputs of a run in the order of its form, each with its previous value. Sensitive values are hidden. */
export function inputLines(form: JsonObject | null, inputs: JsonObject, delta: Delta): InputLine[] {
  const known = inputsOf(form);
  const roots = Object.keys(delta).map((path) => path.split('.')[0] ?? path);
  const others = [...new Set([...Object.keys(inputs), ...roots])]
    .filter((id) => !known.some((input) => input.id === id))
    .map((id) => ({ id, label: id, isSensitive: false }));
  return [...known, ...others].flatMap(({ id, label, isSensitive }) => {
    const changes = Object.entries(delta).filter(([path]) => path === id || path.startsWith(`${id}.`));
    const whole = changes.find(([path]) => path === id);
    const after = whole ? whole[1][1] : inputs[id];
    if (changes.length === 0 && shown(after) === null) return [];
    const hide = (words: string | null) => (isSensitive && words !== null ? 'hidden' : words);
    // For an object, only the parts that differ are named.
    const parts = changes.map(([path, [old]]) => `${path.slice(id.length + 1)}: ${shown(old) ?? 'none'}`).join(', ');
    const before = whole ? shown(whole[1][0]) : changes.length > 0 ? parts : null;
    return [{ id, label, value: hide(shown(after)), before: hide(before), isChanged: changes.length > 0 }];
  });
}
