import type { JsonObject } from '../contracts/json.ts';
import { Budget } from './budget.ts';
import type { Input } from './input.ts';
import { sameValue } from './same-value.ts';
import { runRule } from './show-rule.ts';
import type { ValuesUi } from './values-ui.ts';

function isVisible({ showIf, showIfAll }: Input, config: JsonObject, budget: Budget): boolean {
  // Exactly true: what is merely truthy hides the input.
  if (showIf !== undefined) return runRule(showIf, config, budget) === true;
  return (showIfAll ?? []).every(({ field, value }) => {
    budget.step();
    return Object.hasOwn(config, field) && sameValue(value, config[field] ?? null, budget);
  });
}

/** The inputs that a form with these values shows; the others count as absent whatever the config says. */
export const visibleInputs = (
  { inputs }: Pick<ValuesUi, 'inputs'>,
  config: JsonObject,
  budget = new Budget(),
): Input[] => inputs.filter((input) => isVisible(input, config, budget));
