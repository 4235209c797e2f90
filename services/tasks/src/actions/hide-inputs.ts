import type { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { unfitAll } from '../errors/refuse.ts';
import { actionPath } from '../engine/operations/invoke-action.ts';

/** Shown in place of a hidden value. */
const mask = '***';

export interface HiddenInputs {
  /** The body with masks. */
  shown: JsonValue;
  /** The masked values. */
  hidden: JsonObject;
}

/** Masks the sensitive inputs in the body of an action. Without a form there are no sensitive inputs. */
export function hideInputs(form: Pick<ValuesUi, 'inputs'> | null | undefined, body: JsonValue): HiddenInputs {
  if (!form || !isJsonObject(body)) return { shown: body, hidden: {} };
  const sensitive = new Set(form.inputs.filter((input) => input.sensitive).map(({ id }) => id));
  const hidden = Object.fromEntries(
    Object.entries(body).filter(([id, value]) => sensitive.has(id) && value !== null && value !== mask),
  );
  return { shown: { ...body, ...masks(Object.keys(hidden)) }, hidden };
}

/** Masks all inputs: if the chart is gone, any of them might have been sensitive. */
export const hideAll = (body: JsonValue): HiddenInputs =>
  isJsonObject(body) ? { shown: masks(Object.keys(body)), hidden: body } : { shown: body, hidden: {} };

/** Refuses a mask that was copied from an answer, since the call would send it as the value. */
export function refuseMasks(form: Pick<ValuesUi, 'inputs'> | null | undefined, body: JsonValue): void {
  if (!form || !isJsonObject(body)) return;
  const copied = form.inputs.filter(({ id, sensitive }) => sensitive && body[id] === mask);
  if (copied.length === 0) return;
  const message = `${mask} stands for a value that is not shown; give the value`;
  throw unfitAll(copied.map(({ id }) => ({ path: `${actionPath}.body.${id}`, message })));
}

const masks = (names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, mask]));
