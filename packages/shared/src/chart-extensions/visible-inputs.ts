import { LogicEngine } from 'json-logic-engine';
import { type JsonObject, sameJson } from '../contracts/json.ts';
import type { Input } from './input.ts';
import type { ValuesUi } from './values-ui.ts';

const logic = new LogicEngine();

/** Exactly true: what is merely truthy, and a rule that fails, hide the input. */
function holds(rule: unknown, config: JsonObject): boolean {
  try {
    return logic.run(rule, config) === true;
  } catch {
    return false;
  }
}

function isVisible({ showIf, showIfAll }: Input, config: JsonObject): boolean {
  if (showIf !== undefined) return holds(showIf, config);
  return (showIfAll ?? []).every(({ field, value }) => Object.hasOwn(config, field) && sameJson(config[field], value));
}

/** The inputs that a form with these values shows; the others count as absent whatever the config says. */
export const visibleInputs = ({ inputs }: Pick<ValuesUi, 'inputs'>, config: JsonObject): Input[] =>
  inputs.filter((input) => isVisible(input, config));
