import type { JsonObject, JsonValue } from '@berth/client';

export interface ChangedField {
  name: string;
  /** Null if there was none. */
  before: string | null;
  after: string | null;
}

const words = (value: JsonValue | undefined): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value);

/** The fields of an event. One that is null before and after is left out. */
export function changedFields(before: JsonObject | null, after: JsonObject | null): ChangedField[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => ({ name, before: words(before?.[name]), after: words(after?.[name]) }))
    .filter((field) => field.before !== null || field.after !== null);
}
