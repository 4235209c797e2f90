import { type FragmentSqlToken, type PrimitiveValueExpression, sql } from 'slonik';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import { plannedForItsValues } from '../postgres/pool/statements.ts';

/** A condition of a list, or nothing if the filter was not given. */
export type Condition = FragmentSqlToken | undefined;

/** Matches the whole value; null selects rows without one. */
export function equals(column: FragmentSqlToken, value: PrimitiveValueExpression | undefined): Condition {
  if (value === undefined) return undefined;
  return value === null ? sql.fragment`${column} is null` : sql.fragment`${column} = ${value}`;
}

/** Matches any of the ids. */
export const isOneOf = (column: FragmentSqlToken, ids: readonly string[] | undefined): Condition =>
  ids === undefined ? undefined : sql.fragment`${column} = any(${sql.array([...ids], 'uuid')})`;

/** Matches the whole text, ignoring case. */
export const equalsIgnoringCase = (column: FragmentSqlToken, text: string | undefined): Condition =>
  text === undefined ? undefined : sql.fragment`lower(${column}) = lower(${text})`;

/**
 * Matches a part of the text, ignoring case; `%` and `_` are literal characters. A trigram index finds parts of three letters or
 * more.
 */
export const contains = (column: FragmentSqlToken, text: string | undefined): Condition =>
  containsInLowerCase(sql.fragment`lower(${column})`, text);

/** The same for a column in lower case: converting takes some four times as long as comparing. */
export const containsInLowerCase = (column: FragmentSqlToken, text: string | undefined): Condition =>
  text === undefined ? undefined : sql.fragment`${planned} ${column} like lower(${`%${literally(text)}%`})`;

// Made by hand, since slonik's fragments take only values, and this is part of the text.
const planned: FragmentSqlToken = { ...sql.fragment``, sql: plannedForItsValues };

const literally = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/**
 * Rows of the envs that the caller may see (`visibleEnvs`), or of the one among them that a filter names. Rows without an env are
 * visible only to callers that see all envs. It is one condition, because PostgreSQL would expect few rows to match two.
 */
export function inEnvs(column: FragmentSqlToken, visible: VisibleEnvs, wanted?: string | null): Condition {
  if (visible === 'all') return equals(column, wanted);
  if (wanted !== undefined) {
    return wanted !== null && visible.includes(wanted) ? equals(column, wanted) : sql.fragment`false`;
  }
  const [only] = visible;
  return visible.length === 1
    ? equals(column, only)
    : sql.fragment`${column} = any(${sql.array([...visible], 'uuid')})`;
}

/** The same as part of a `where`. */
export const isInEnvs = (column: FragmentSqlToken, visible: VisibleEnvs): FragmentSqlToken =>
  inEnvs(column, visible) ?? sql.fragment`true`;
