import { Id, Timestamp } from '@berth/shared/contracts/fields';
import type { Queries } from '@berth/shared/db/database';
import { sql } from 'slonik';
import { z } from 'zod';

const Renewed = z.object({ cancel_requested: z.boolean() });
const Held = z.object({ cluster_id: Id, helm_chart_id: Id.nullable() });
const NextDue = z.object({ now: Timestamp, told: Timestamp, wait_ms: z.number().nullable() });
export type NextDue = z.infer<typeof NextDue>;
const Expired = z.object({ id: Id, deployment_id: Id });

export const createLeaseRepository = (db: Queries) => ({
  /** Null when the claim is not the latest one any more. */
  renew: (id: string, fence: number, leaseMs: number) =>
    db.maybeOne(sql.type(Renewed)`
      update deployment_tasks set lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
      where id = ${id} and fence = ${fence} and status = 'Started'
      returning (cancel_requested_at is not null) as cancel_requested
    `),

  /** What a claim is good for; null when it is over or was never given. */
  held: (id: string, fence: number) =>
    db.maybeOne(sql.type(Held)`
      select run ->> 'cluster_id' as cluster_id, run ->> 'helm_chart_id' as helm_chart_id
      from deployment_tasks
      where id = ${id} and fence = ${fence} and status = 'Started' and lease_until > clock_timestamp()
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

  /**
   * The first task that becomes due within the time, and how far away that is; negative: it is past. `told` is up to when
   * the runners were told: a moment given, or so many milliseconds ago.
   */
  nextDue: (after: string | null, { toldAgoMs, withinMs }: { toldAgoMs: number | null; withinMs: number }) =>
    db.one(sql.type(NextDue)`
      select now, told, (extract(epoch from min(due_at) - now) * 1000)::double precision as wait_ms
      from (select clock_timestamp()::timestamptz(3) as now) clock
      cross join lateral (
        select greatest(
          coalesce(${after}::timestamptz, now), now - ${toldAgoMs}::double precision * interval '1 millisecond'
        )::timestamptz(3) as told
      ) heard
      left join deployment_tasks on status = 'Pending'
        and due_at > told
        and due_at <= now + ${withinMs} * interval '1 millisecond'
      group by now, told
    `),
});
export type LeaseRepository = ReturnType<typeof createLeaseRepository>;
