import { pathOf } from '@berth/contracts/fields/field-errors';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import type { FieldError } from '@berth/contracts/errors';
import { type Input, typeOfItems } from '../form/input.ts';
import { inputRules } from './input-rules.ts';
import { maxCells } from '../form/output-path.ts';
import type { ValuesUi } from '../form/values-ui.ts';
import { visibleInputs } from './visible-inputs.ts';

type Form = Pick<ValuesUi, 'inputs'>;

/** More than anybody reads; a config can have a million errors. */
const maxErrors = 50;

/** The first errors of a config. `at` is its position in the request. */
export const validateConfig = (form: Form, config: JsonObject, at = 'body.config'): FieldError[] =>
  [...unknownInputs(form, config, at), ...validateInputs(form, config, at)].slice(0, maxErrors);

/** Values for unknown inputs: names are misspelled, or a newer chart dropped the inputs. */
export function unknownInputs({ inputs }: Form, config: JsonObject, at = 'body.config'): FieldError[] {
  const known = new Set(inputs.map(({ id }) => id));
  return Object.keys(config)
    .filter((key) => !known.has(key))
    .slice(0, maxErrors)
    .map((key) => ({ path: pathOf([at, key]), message: 'is not an input of the chart' }));
}

/** Validates visible inputs only. The value of a hidden input is kept without validation, in case it is shown again. */
export function validateInputs(form: Form, config: JsonObject, at = 'body.config'): FieldError[] {
  const errors: FieldError[] = [];
  for (const input of visibleInputs(form, config)) {
    errors.push(...errorsOf(input, valueOf(config, input.id), [at, input.id]));
    if (errors.length >= maxErrors) break;
  }
  return errors.slice(0, maxErrors);
}

/** Absent and null are equivalent: forms send either for an empty field. */
const valueOf = (config: JsonObject, id: string): JsonValue =>
  Object.hasOwn(config, id) ? (config[id] ?? null) : null;

function errorsOf(input: Input, value: JsonValue, path: PropertyKey[]): FieldError[] {
  const error = (message: string): FieldError[] => [{ path: pathOf(path), message }];
  if (value === null || value === '') {
    if (input.required) return error('is required');
    if (value === null) return [];
  }
  const type = typeOfItems(input);
  if (!type) return [];
  const problemOf = inputRules[type](input);
  const itemErrors = (item: JsonValue, at: PropertyKey[]): FieldError[] => {
    const message = problemOf(item);
    return message ? [{ path: pathOf(at), message }] : [];
  };
  if (input.type !== 'array') return itemErrors(value, path);
  if (!Array.isArray(value)) return error('must be a list');
  if (value.length > maxCells) return error(`must have at most ${maxCells} items`);
  return value.flatMap((item, index) => itemErrors(item, [...path, index]));
}
