import { type Input, typeOfItems } from '@berth/chart-extensions/form/input';
import type { JsonObject, JsonValue } from '@berth/client';
import { sameJson } from '@berth/contracts/fields/json';
import type { Form } from './parsed-form.ts';

const known = (form: Form): Set<string> => new Set(form.inputs.map(({ id }) => id));

/** What an input begins with. A box that has to be answered begins unchecked, as it looks. */
function initialOf({ initialValue, type, required }: Input): JsonValue | undefined {
  if (initialValue !== undefined && initialValue !== null) return initialValue;
  return type === 'Checkbox' && required ? false : undefined;
}

/** The inputs of a new deployment before anything is typed. */
export const initialConfig = (form: Form | null): JsonObject => withInitials(form, null, {});

/** A config with the initial values of those inputs that the chart before did not have. */
export function withInitials(form: Form | null, before: Form | null, config: JsonObject): JsonObject {
  const had = before === null ? new Set<string>() : known(before);
  const result = { ...config };
  for (const input of form?.inputs ?? []) {
    const value = initialOf(input);
    if (value !== undefined && !had.has(input.id) && !Object.hasOwn(result, input.id)) result[input.id] = value;
  }
  return result;
}

/** The part of a config that the form knows, as the platform accepts it: no more inputs, and none that is empty. */
export function configFor(form: Form | null, config: JsonObject): JsonObject {
  if (form === null) return config;
  const ids = known(form);
  return Object.fromEntries(Object.entries(config).filter(([id, value]) => ids.has(id) && value !== null));
}

/** The inputs with values that the form does not have; they are dropped with it. */
export function droppedInputs(form: Form | null, config: JsonObject): string[] {
  if (form === null) return [];
  const ids = known(form);
  return Object.keys(config).filter((id) => !ids.has(id) && config[id] !== null);
}

/** Absent and null are equivalent. */
export const sameInput = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  sameJson(a ?? null, b ?? null);

/** The ids of the inputs whose values differ. */
export const changedInputs = (before: JsonObject, after: JsonObject): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((id) => !sameInput(before[id], after[id]));

/** A value for people, in one line. A reference is named by whoever knows its name. */
export function inputWords(input: Input | undefined, value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === '') return 'empty';
  if (input?.sensitive) return 'hidden';
  if (input && typeOfItems(input) === 'RadioSelect' && input.type !== 'array') {
    const option = input.options?.find((candidate) => sameJson(candidate.value, value));
    if (option?.label !== undefined) return option.label;
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text;
}
