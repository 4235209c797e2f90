import { visibleInputs } from '@berth/chart-extensions/config/visible-inputs';
import { type Input, typeOfItems } from '@berth/chart-extensions/form/input';
import type { JsonObject, JsonValue } from '@berth/client';
import { isJsonObject, sameJson } from '@berth/contracts/fields/json';
import type { Form } from './parsed-form.ts';

const known = (form: Form): Set<string> => new Set(form.inputs.map(({ id }) => id));

/** The initial value of an input. A required checkbox starts as false, which is how it looks. */
function initialOf({ initialValue, type, required }: Input): JsonValue | undefined {
  if (initialValue !== undefined && initialValue !== null) return initialValue;
  return type === 'Checkbox' && required ? false : undefined;
}

/** The inputs of a new deployment before anything is typed. */
export const initialConfig = (form: Form | null): JsonObject => withInitials(form, null, {});

/** A config with the initial values of those inputs that the previous chart did not have. */
export function withInitials(form: Form | null, before: Form | null, config: JsonObject): JsonObject {
  const had = before === null ? new Set<string>() : known(before);
  const result = { ...config };
  for (const input of form?.inputs ?? []) {
    const value = initialOf(input);
    if (value !== undefined && !had.has(input.id) && !Object.hasOwn(result, input.id)) result[input.id] = value;
  }
  return result;
}

/** A changed config, with the initial values of the inputs that the change reveals. Hidden ones keep theirs, in case they return. */
export function withShown(form: Form, before: JsonObject, after: JsonObject): JsonObject {
  const shown = new Set(shownInputs(form, before).map(({ id }) => id));
  const result = { ...after };
  for (const input of shownInputs(form, after)) {
    const value = initialOf(input);
    if (value !== undefined && !shown.has(input.id) && !Object.hasOwn(after, input.id)) result[input.id] = value;
  }
  return result;
}

/** The inputs that a form shows. If its rules exceed their budget, that is all of them, and the platform says why it refuses. */
export function shownInputs(form: Form, config: JsonObject): Input[] {
  try {
    return visibleInputs(form, config);
  } catch {
    return form.inputs;
  }
}

/** The part of a config that the platform accepts: without unknown inputs and empty ones. */
export function configFor(form: Form | null, config: JsonObject): JsonObject {
  if (form === null) return config;
  const ids = known(form);
  return Object.fromEntries(Object.entries(config).filter(([id, value]) => ids.has(id) && value !== null));
}

/** The inputs that have values and are not in the form. Their values are dropped. */
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

/** A value for people, on one line. A reference stays an id, since only its component can read its name. */
export function inputWords(input: Input | undefined, value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === '') return 'empty';
  if (input?.sensitive) return 'hidden';
  if (input && typeOfItems(input) === 'RadioSelect' && input.type !== 'array') {
    const option = input.options?.find((candidate) => sameJson(candidate.value, value));
    if (option?.label !== undefined) return option.label;
  }
  const text = plainWords(value);
  return text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text;
}

const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function plainWords(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(plainWords).join(', ');
  if (isJsonObject(value) && typeof value['run_days'] === 'string' && typeof value['schedule'] === 'string') {
    const days = value['run_days'].split(',').map((day) => dayNames[Number(day)] ?? day);
    return `${days.join(', ')} at ${value['schedule']}`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
