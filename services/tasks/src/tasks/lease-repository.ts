import { Id } from '@berth/shared/contracts/fields';
import type { Queries } from '@berth/shared/db/database';
import { sql } from 'slonik';
import { z } from 'zod';

const Renewed = z.object({ cancel_requested: z.boolean() });
const Expired = z.object({ id: Id, deployment_id: Id });

export const createLeaseRepository = (db: Queries) => ({
  /** Null when the claim is not the latest one any more. */
  renew: (id: string, fence: number, leaseMs: number) =>
    db.maybeOne(sql.type(Renewed)`
      update deployment_tasks set lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
      where id = ${id} and fence = ${fence} and status = 'Started'
      returning (cancel_requested_at is not null) as cancel_requested
    `),

  /** Started tasks whose runner is silent for too long. */
  expired: () =>
    db.any(sql.type(Expired)`
      select id, deployment_id from deployment_tasks
      where status = 'Started' and lease_until < clock_timestamp()
      order by lease_until limit 100
    `),

  /** Whether the claim is over its lease, asked again under the lock of the deployment. */
  isExpired: (id: string) =>
    db.exists(sql.type(z.object({}))`
      select 1 from deployment_tasks where id = ${id} and status = 'Started' and lease_until < clock_timestamp()
    `),

  /** Milliseconds until the next task becomes due, if that is within the time. */
  nextDueWithin: async (ms: number) => {
    const next = await db.one(sql.type(z.object({ wait_ms: z.number().nullable() }))`
      select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::double precision as wait_ms
      from deployment_tasks
      where status = 'Pending' and due_at > clock_timestamp()
        and due_at <= clock_timestamp() + ${ms} * interval '1 millisecond'
    `);
    return next.wait_ms;
  },
});
export type LeaseRepository = ReturnType<typeof createLeaseRepository>;
