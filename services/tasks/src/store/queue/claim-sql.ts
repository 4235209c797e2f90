import { type FragmentSqlToken, sql } from 'slonik';

/** The claim of a row. Runners name it in each report, and reports of an older claim change nothing. */
export interface Claim {
  id: string;
  fence: number;
}

/**
 * Whoever can name a claim may report for it, so fences must not be guessable. Fences of tasks also grow: see
 * `claim-repository.ts`.
 */
export const newFence = sql.fragment`('x' || right(gen_random_uuid()::text, 12))::bit(48)::bigint`;

export const inMs = (ms: number) => sql.fragment`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/** The claim is the latest of the row. */
export const isClaimOf = (row: FragmentSqlToken, { id, fence }: Claim) =>
  sql.fragment`${row}.id = ${id} and ${row}.fence = ${fence}`;

/** The same for a task `t`, whose claim ends with the status `Started`. */
export const isClaimOfTask = (claim: Claim) =>
  sql.fragment`${isClaimOf(sql.fragment`t`, claim)} and t.status = 'Started'`;

/** Whether the lease of a task `t` has expired. */
export const leaseIsOver = sql.fragment`t.status = 'Started' and t.lease_until < clock_timestamp()`;

/** The end of a select for the first rows. Concurrent claims skip rows that another one has locked. */
export const firstFree = (order: FragmentSqlToken, most: number) =>
  sql.fragment`order by ${order} limit ${most} for update skip locked`;
