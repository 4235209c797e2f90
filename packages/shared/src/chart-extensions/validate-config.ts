import { pathOf } from '../contracts/field-errors.ts';
import type { JsonObject, JsonValue } from '../contracts/json.ts';
import type { FieldError } from '../errors.ts';
import { type Input, typeOfItems } from './input.ts';
import { inputRules } from './input-rules.ts';
import { maxCells } from './output-path.ts';
import type { ValuesUi } from './values-ui.ts';
import { visibleInputs } from './visible-inputs.ts';

type Form = Pick<ValuesUi, 'inputs'>;

/** Every rule of the form that the config breaks. `at` is where the config lies in the request. */
export const validateConfig = (form: Form, config: JsonObject, at = 'body.config'): FieldError[] => [
  ...unknownInputs(form, config, at),
  ...validateInputs(form, config, at),
];

/** Values for inputs that the form does not have: a misspelt name, or one that a newer chart has dropped. */
export function unknownInputs({ inputs }: Form, config: JsonObject, at = 'body.config'): FieldError[] {
  const known = new Set(inputs.map(({ id }) => id));
  return Object.keys(config)
    .filter((key) => !known.has(key))
    .map((key) => ({ path: pathOf([at, key]), message: 'is no input of the chart' }));
}

/** The visible inputs alone. What a hidden one holds is kept for when it is shown again, and not looked at. */
export const validateInputs = (form: Form, config: JsonObject, at = 'body.config'): FieldError[] =>
  visibleInputs(form, config).flatMap((input) => errorsOf(input, valueOf(config, input.id), [at, input.id]));

/** Absent and null are one here: forms send either for an empty field. */
const valueOf = (config: JsonObject, id: string): JsonValue =>
  Object.hasOwn(config, id) ? (config[id] ?? null) : null;

function errorsOf(input: Input, value: JsonValue, path: PropertyKey[]): FieldError[] {
  if (value === null || value === '') {
    if (input.required) return [{ path: pathOf(path), message: 'is required' }];
    if (value === null) return [];
  }
  if (input.type !== 'array') return itemErrors(input, value, path);
  if (!Array.isArray(value)) return [{ path: pathOf(path), message: 'must be a list' }];
  if (value.length > maxCells) return [{ path: pathOf(path), message: `must have at most ${maxCells} items` }];
  return value.flatMap((item, index) => itemErrors(input, item, [...path, index]));
}

function itemErrors(input: Input, value: JsonValue, path: PropertyKey[]): FieldError[] {
  const type = typeOfItems(input);
  const message = type && inputRules[type](value, input);
  return message ? [{ path: pathOf(path), message }] : [];
}
