import { type JsonValue, sameJson } from '../fields/json.ts';

/** Whether a request changes one of these fields. Absent fields, and fields with their current value, do not change. */
export const differsFrom = <Field extends string>(
  row: Readonly<Record<Field, JsonValue>>,
  changes: { readonly [Name in Field]?: JsonValue | undefined },
  fields: readonly Field[],
): boolean => fields.some((field) => changes[field] !== undefined && !sameJson(changes[field], row[field]));
