import type { JsonObject } from '@berth/contracts/fields/json';
import { Budget } from '../budget/budget.ts';
import type { Input } from '../form/input.ts';
import { sameValue } from '../budget/same-value.ts';
import { runRule } from '../form/show-rule.ts';
import type { ValuesUi } from '../form/values-ui.ts';

function isVisible({ showIf, showIfAll }: Input, config: JsonObject, budget: Budget): boolean {
  // Only `true` shows the input; other truthy values do not.
  if (showIf !== undefined) return runRule(showIf, config, budget) === true;
  return (showIfAll ?? []).every(({ field, value }) => {
    budget.step();
    return Object.hasOwn(config, field) && sameValue(value, config[field] ?? null, budget);
  });
}

/**
 * The inputs that a form shows for these values; all others count as absent. Inputs with the same id share a value, so only the
 * first visible one counts.
 */
export function visibleInputs(
  { inputs }: Pick<ValuesUi, 'inputs'>,
  config: JsonObject,
  budget = new Budget(),
): Input[] {
  const shown = new Map<string, Input>();
  for (const input of inputs) {
    if (!shown.has(input.id) && isVisible(input, config, budget)) shown.set(input.id, input);
  }
  return [...shown.values()];
}
