import { type FragmentSqlToken, type PrimitiveValueExpression, sql } from 'slonik';

/** A condition of a list, or nothing where the filter was not given. */
export type Condition = FragmentSqlToken | undefined;

/** Whole value; null selects the rows without one. */
export function equals(column: FragmentSqlToken, value: PrimitiveValueExpression | undefined): Condition {
  if (value === undefined) return undefined;
  return value === null ? sql.fragment`${column} is null` : sql.fragment`${column} = ${value}`;
}

/** Whole text, whatever its case. */
export const equalsIgnoringCase = (column: FragmentSqlToken, text: string | undefined): Condition =>
  text === undefined ? undefined : sql.fragment`lower(${column}) = lower(${text})`;

/** Part of the text, whatever its case; `%` and `_` mean themselves. */
export const contains = (column: FragmentSqlToken, text: string | undefined): Condition =>
  text === undefined ? undefined : sql.fragment`strpos(lower(${column}), lower(${text})) > 0`;

/** Rows of the envs that the caller may see (`visibleEnvs`). Rows without an env are visible only to callers that see all envs. */
export const inEnvs = (column: FragmentSqlToken, visible: 'all' | readonly string[]): Condition =>
  visible === 'all' ? undefined : sql.fragment`${column} = any(${sql.array([...visible], 'uuid')})`;
