import { sql } from 'slonik';

/** For a nullable JSON column: JSON `null` is no value at all, so that "has none" is one thing. */
export const jsonOrNull = (value: Parameters<typeof sql.jsonb>[0] | null | undefined) =>
  value === null || value === undefined ? null : sql.jsonb(value);
