import { sql } from 'slonik';
import { z } from 'zod';
import type { Queries } from '../database.ts';
import { statement } from '../statement.ts';

/** Guarantees that no other process does this work before `until`. The fence grows with each new holder. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly fence: number;
  readonly ttlMs: number;
  /**
   * On this process's monotonic clock (`performance.now()`), counted from before the query was sent, so never later than the real
   * end.
   */
  readonly until: number;
}

export interface LeaseRequest {
  name: string;
  /** Identifies this process. */
  holder: string;
  ttlMs: number;
  /** Leaves the lease to others for as long after it was given up; at once by default. */
  freeForMs?: number | undefined;
}

const fenced = sql.type(z.object({ fence: z.number().int() }));

/** Takes the lease if it is free or expired by the clock of the database; null if another holder has it. */
export async function acquireLease(
  db: Queries,
  { name, holder, ttlMs, freeForMs = 0 }: LeaseRequest,
): Promise<Lease | null> {
  const startedAt = performance.now();
  const row = await db.maybeOne(fenced`
    insert into leases (name, holder, until, fence)
    values (${name}, ${holder}, clock_timestamp() + ${ttlMs} * interval '1 millisecond', 1)
    on conflict (name) do update
      set holder = excluded.holder,
        until = clock_timestamp() + ${ttlMs} * interval '1 millisecond',
        fence = leases.fence + 1
      where leases.until <= clock_timestamp() - ${freeForMs} * interval '1 millisecond'
    returning fence
  `);
  return row && { name, holder, ttlMs, fence: row.fence, until: startedAt + ttlMs };
}

/** The lease with its new end; null if it was lost. */
export async function renewLease(db: Queries, lease: Lease): Promise<Lease | null> {
  const startedAt = performance.now();
  const row = await db.maybeOne(fenced`
    update leases set until = clock_timestamp() + ${lease.ttlMs} * interval '1 millisecond'
    where name = ${lease.name} and holder = ${lease.holder} and fence = ${lease.fence} and until > clock_timestamp()
    returning fence
  `);
  return row && { ...lease, until: startedAt + lease.ttlMs };
}

/** Frees the lease for the next holder at once. */
export async function releaseLease(db: Queries, { name, holder, fence }: Lease): Promise<void> {
  await db.query(statement`
    update leases set until = clock_timestamp() where name = ${name} and holder = ${holder} and fence = ${fence}
  `);
}
