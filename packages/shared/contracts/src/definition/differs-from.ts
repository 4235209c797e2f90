import { type JsonValue, sameJson } from '../fields/json.ts';

/** Whether a request changes one of these fields: an absent field stays, and one with its current value counts as absent. */
export const differsFrom = <Field extends string>(
  row: Readonly<Record<Field, JsonValue>>,
  changes: { readonly [Name in Field]?: JsonValue | undefined },
  fields: readonly Field[],
): boolean => fields.some((field) => changes[field] !== undefined && !sameJson(changes[field], row[field]));
