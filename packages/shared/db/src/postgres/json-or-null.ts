import { sql } from 'slonik';

/** For a nullable JSON column: stores JSON `null` as SQL null, so that an absent value has one form. */
export const jsonOrNull = (value: Parameters<typeof sql.jsonb>[0] | null | undefined) =>
  value === null || value === undefined ? null : sql.jsonb(value);
