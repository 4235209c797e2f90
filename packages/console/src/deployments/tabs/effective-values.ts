import { Budget } from '@berth/chart-extensions/budget/budget';
import { mergeLayer } from '@berth/chart-extensions/config/merge-layer';
import { outputValues } from '@berth/chart-extensions/config/output-values';
import type { JsonObject } from '@berth/client';
import { isJsonObject } from '@berth/contracts/fields/json';
import { formOf } from '../../form/parsed-form.ts';

const hidden = '(hidden)';

interface Said {
  config: JsonObject;
  values_override: JsonObject | null;
}

/** The inputs with sensitive values hidden. This also works for a form that this console is too old to parse. */
export function shownInputs(valuesUi: JsonObject | null, config: JsonObject): JsonObject {
  const inputs = valuesUi?.['inputs'];
  const sensitive = new Set(
    (Array.isArray(inputs) ? inputs : [])
      .filter(isJsonObject)
      .flatMap((input) => (input['sensitive'] === true ? [input['id']] : [])),
  );
  return Object.fromEntries(Object.entries(config).map(([id, value]) => [id, sensitive.has(id) ? hidden : value]));
}

/**
 * The values that the chart gets from inputs and override, by the rules of the platform. What an input reads from a secret or another
 * row is named instead. Throws if the form refuses these inputs.
 */
export function effectiveValues(valuesUi: JsonObject | null, { config, values_override }: Said): JsonObject {
  const form = formOf(valuesUi);
  const budget = new Budget();
  const inputs = shownInputs(valuesUi, config);
  const propertyOf = ({ id }: { id: string }, property: string) => `(${property} of ${id.slice(0, 8)})`;
  const values = form ? outputValues(form, { config: inputs, propertyOf, budget }).values : { config: { ...inputs } };
  mergeLayer(values, values_override ?? {}, budget);
  return values;
}
