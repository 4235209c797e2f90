import { Id, Timestamp } from '@berth/contracts/fields/fields';
import { RunnerAction } from '@berth/contracts/resources/tasks/runner-tasks';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { Queries } from '@berth/db/database';
import { changeAndRecord } from '@berth/db/outbox/outbox';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Claim, inMs, isClaimOfTask, leaseIsOver } from '../queue/claim-sql.ts';
import { isOpenDryRun } from '../queue/dry-run-repository.ts';

const Renewed = z.object({
  cancel_requested: z.boolean(),
  deployment_id: Id,
  reason: z.string().nullable(),
  awaits_readiness: z.boolean(),
});
const Begun = Renewed.extend({ id: Id, env_id: Id });
const Held = z.object({
  deployment_id: Id,
  cluster_id: Id,
  namespace: z.string(),
  helm_chart_id: Id.nullable(),
  is_dry_run: z.boolean(),
  adopts: z.boolean(),
  env_id: Id,
  kind_id: Id,
  task: z
    .object({
      action: RunnerAction,
      is_first: z.boolean(),
      deployment_name: z.string(),
      kind: z.string(),
      hostname: z.string().nullable(),
      keeps_place: z.boolean(),
    })
    .nullable(),
});
const NextDue = z.object({ now: Timestamp, notified_until: Timestamp, wait_ms: z.number().nullable() });
export type NextDue = z.infer<typeof NextDue>;
const Expired = z.object({ id: Id, deployment_id: Id });

export const createLeaseRepository = (db: Queries) => ({
  /** Null when the claim is no longer the latest one. */
  renew: (id: string, fence: number, leaseMs: number) =>
    db.maybeOne(sql.type(Renewed)`
      update deployment_tasks t set lease_until = ${inMs(leaseMs)} where ${isClaimOfTask({ id, fence })}
      returning (cancel_requested_at is not null) as cancel_requested, deployment_id, reason, awaits_readiness
    `),

  /**
   * The claim no longer works and only awaits readiness, until its end: a heartbeat that was sent before and arrives later does not
   * take the slot again.
   */
  leaveSlot: (claim: Claim) =>
    db.query(statement`update deployment_tasks t set awaits_readiness = true where ${isClaimOfTask(claim)}`),

  /**
   * Renews the lease and counts the attempt, once for each claim. If the task is being canceled, Helm must not begin. Null when
   * the claim is no longer the latest one. One statement, because a user waits for it.
   */
  helmBegins: ({ task_id, fence }: { task_id: string; fence: number }, leaseMs: number) =>
    changeAndRecord(db, {
      resource: deploymentTasks,
      change: sql.fragment`
        update deployment_tasks t set
          lease_until = ${inMs(leaseMs)},
          attempts = t.attempts + case when t.cancel_requested_at is null and t.helm_fence < t.fence then 1 else 0 end,
          helm_fence = case when t.cancel_requested_at is null then t.fence else t.helm_fence end,
          waited_ms = 0, forbidden_ms = 0
        where ${isClaimOfTask({ id: task_id, fence })}
        returning t.id, t.env_id, t.deployment_id, t.reason, t.awaits_readiness,
          (t.cancel_requested_at is not null) as cancel_requested`,
      row: { id: task_id, status: 'Started' },
      returns: Begun,
    }),

  /** The access that a claim of a task or dry run gives its runner; null if the claim ended or never existed. */
  held: (id: string, fence: number) =>
    db.maybeOne(sql.type(Held)`
      select t.deployment_id, t.run ->> 'cluster_id' as cluster_id, t.run ->> 'namespace' as namespace,
        t.run ->> 'helm_chart_id' as helm_chart_id, false as is_dry_run,
        t.run -> 'adopts' is not null as adopts, t.env_id, d.kind_id,
        jsonb_build_object(
          'action', t.run ->> 'action', 'deployment_name', t.run ->> 'deployment_name', 'kind', t.run ->> 'kind',
          'hostname', (
            select lower(case
              when h.features #>> '{ingress,hostname_format}' = 'Name' and t.run ->> 'deployment_name' <> ''
              then t.run ->> 'deployment_name' else t.run ->> 'namespace'
            end || '.' || c.ingress_domain)
            from helm_chart_projection h, k8s_cluster_projection c
            where h.id::text = t.run ->> 'helm_chart_id' and h.features #> '{ingress,enabled}' = 'true'
              and c.id::text = t.run ->> 'cluster_id'
          ),
          'keeps_place', t.effect = 'removes' and not t.deletes_deployment,
          'is_first', d.revision_id is null and not exists (
            select 1 from deployment_tasks o where o.deployment_id = t.deployment_id and o.helm_fence > 0
          )
        ) as task
      from deployment_tasks t join deployments d on d.id = t.deployment_id
      where ${isClaimOfTask({ id, fence })} and t.lease_until > clock_timestamp()
      union all
      select deployment_id, cluster_id::text, namespace, helm_chart_id::text, true, adopts, env_id, kind_id, null
      from dry_runs
      where ${isOpenDryRun({ id, fence })} and kind_id is not null
    `),

  /** Started tasks whose lease has expired. */
  expired: () =>
    db.any(sql.type(Expired)`
      select id, deployment_id from deployment_tasks t where ${leaseIsOver} order by lease_until limit 100
    `),

  /** Whether the lease has expired, checked again under the lock of the deployment. */
  isExpired: (id: string) =>
    db.exists(statement`
      select 1 from deployment_tasks t where id = ${id} and ${leaseIsOver}
    `),

  /**
   * The time until the next task becomes due, negative if that is past. `notified_until`: runners were notified of all tasks due
   * until then; the later of `after` and the time `notifiedAgoMs` ago.
   */
  nextDue: (after: string | null, { notifiedAgoMs, withinMs }: { notifiedAgoMs: number | null; withinMs: number }) =>
    db.one(sql.type(NextDue)`
      select now, notified_until, (extract(epoch from next.due_at - now) * 1000)::double precision as wait_ms
      from (select clock_timestamp()::timestamptz(3) as now) clock
      cross join lateral (
        select greatest(
          coalesce(${after}::timestamptz, now), now - ${notifiedAgoMs}::double precision * interval '1 millisecond'
        )::timestamptz(3) as notified_until
      ) notified
      left join lateral (
        select due_at from deployment_tasks
        where status = 'Pending' and due_at > notified_until and due_at <= now + ${withinMs} * interval '1 millisecond'
        order by due_at limit 1
      ) next on true
    `),
});
export type LeaseRepository = ReturnType<typeof createLeaseRepository>;
