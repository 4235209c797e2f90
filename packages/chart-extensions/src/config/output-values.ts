import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import { AppError } from '@berth/contracts/errors';
import type { Budget } from '../budget/budget.ts';
import { type ConfigReference, referencesOf } from './config-references.ts';
import { writeText } from '../budget/copy-json.ts';
import { atOnce, type Parts } from '../budget/in-turns.ts';
import type { Input } from '../form/input.ts';
import { type InputRef, inputOf } from '../form/outputs.ts';
import { setAtPath } from './set-at-path.ts';
import type { ValuesUi } from '../form/values-ui.ts';
import { visibleInputs } from './visible-inputs.ts';

/** A property of the item to which an input points; undefined if the item or property does not exist. */
export type PropertyOf = (reference: ConfigReference, property: string) => JsonValue | undefined;

export interface OutputValues {
  values: JsonObject;
  /** Secrets to write, by name and key. */
  secrets: Record<string, Record<string, string>>;
}

export interface OutputSources {
  config: JsonObject;
  propertyOf: PropertyOf;
  budget: Budget;
}

/**
 * Evaluates the outputs of a form for a config. Outputs of hidden inputs, and of optional inputs without a value, are skipped.
 */
export const outputValues = (form: ValuesUi, sources: OutputSources): OutputValues =>
  atOnce(outputParts(form, sources));

/** The same, yielding after each output. */
export function* outputParts(form: ValuesUi, sources: OutputSources): Parts<OutputValues> {
  const { config, budget } = sources;
  const visible = new Map(visibleInputs(form, config, budget).map((input) => [input.id, input]));
  const resolve = (ref: InputRef): JsonValue | undefined => {
    budget.step();
    const input = visible.get(inputOf(ref));
    return input && valueOf(ref, input, sources);
  };

  yield;

  const values: JsonObject = {};
  for (const { path, value: ref } of form.outputs.values) {
    const value = resolve(ref);
    if (value !== undefined) setAtPath(values, path, value, budget);
    yield;
  }

  const secrets: OutputValues['secrets'] = {};
  for (const [name, keys] of Object.entries(form.outputs.secrets)) {
    const entries = Object.entries(keys).flatMap(([key, ref]) => {
      const value = resolve(ref);
      if (value === undefined) return [];
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      writeText(key, budget);
      writeText(text, budget);
      return [[key, text] as const];
    });
    writeText(name, budget);
    if (entries.length > 0) secrets[name] = Object.fromEntries(entries);
    yield;
  }
  return { values, secrets };
}

function valueOf(ref: InputRef, input: Input, { config, propertyOf, budget }: OutputSources): JsonValue | undefined {
  const value = Object.hasOwn(config, input.id) ? config[input.id] : undefined;
  if (value === undefined || (value === null && (input.required || 'FieldProperty' in ref))) {
    if (input.required) throw new AppError('unprocessable', `The input ${input.id} is required`);
    return undefined;
  }
  if ('FieldValue' in ref) return value;

  const { property } = ref.FieldProperty;
  const properties = referencesOf(input, config).map((reference) => {
    budget.step();
    const found = propertyOf(reference, property);
    if (found !== undefined) return found;
    throw new AppError('unprocessable', `The input ${input.id} points to nothing that has the property ${property}`);
  });
  return input.type === 'array' ? properties : properties[0];
}
