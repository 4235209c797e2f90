import { Id, JsonObject } from '@berth/contracts/fields/fields';
import { ReportedStatus } from '@berth/contracts/resources/deployments/reported-status';
import type { ClaimedPoll, StatusPollResult } from '@berth/contracts/resources/tasks/status-polls';
import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { firstFree, inMs, newFence } from './claim-sql.ts';

const DuePoll = z.object({
  deployment_id: Id,
  fence: z.number().int(),
  late_seconds: z.number(),
  hostname: z.string().nullable(),
  namespace: z.string(),
  cluster_name: z.string(),
  ingress_domain: z.string().nullable(),
  features: JsonObject,
});
export type DuePoll = z.infer<typeof DuePoll>;

const Polled = z.object({ deployment_id: Id, reported_status: ReportedStatus.nullable() });

/** The shortest interval, even if a chart asks for a shorter one. */
const leastIntervalSecs = 15;
/**
 * The lease of a poll; when it expires, the poll is due again. A runner may hold polls of up to 10 s each while it waits for
 * others.
 */
const leaseMs = 30_000;
const slowMs = 2_000;
/** A deployment takes at most a tenth of a runner's slot: one that answers after 9 s is polled every 90 s. */
const pausePerTime = 10;

/** Values of other types are ignored: one failing cast would stop the polls of all deployments. */
const wantedInterval = sql.fragment`
  jsonb_path_query_first(c.features, '$.status.refresh_interval_secs ? (@ >= 1 && @ <= 86400)')::numeric::integer`;

/** Enabled deployments with a release whose chart declares a status endpoint. */
const pollable = (d: FragmentSqlToken) => sql.fragment`
  select d.id, greatest(${leastIntervalSecs}, ${wantedInterval}) as interval_secs
  from ${d} d
  join deployment_tasks t on t.id = d.revision_id
  join helm_chart_projection c on c.id = t.run_chart_id
  where d.enabled and not d.deleting and d.state in ('Running', 'Upgrading', 'Error')
    and jsonb_typeof(c.features -> 'status') = 'object' and c.features #> '{ingress,enabled}' = 'true'
    and d.installed_cluster_id is not null`;

const duePolls = (lane: FragmentSqlToken, most: number) => sql.fragment`
  select deployment_id, due_at from status_polls
  where ${lane} and due_at <= clock_timestamp() ${firstFree(sql.fragment`due_at`, most)}`;

/** Claims the polls of `r`; claims that still hold their poll `p` satisfy `isHeld`. */
const claimsAsRows = (claims: readonly (ClaimedPoll & { took_ms?: number })[]) => sql.fragment`
  jsonb_to_recordset(
    ${sql.jsonb(claims.map(({ deployment_id, fence, took_ms = 0 }) => ({ deployment_id, fence, took_ms })))}
  ) as r(deployment_id uuid, fence bigint, took_ms integer)`;
const isHeld = sql.fragment`p.deployment_id = r.deployment_id and p.fence = r.fence`;

const Followed = z.object({ id: Id, reports_unpolled: z.boolean() });

export const createStatusPollRepository = (db: Queries) => ({
  /**
   * Updates the polls of deployments that have changed since the last time: starts or stops polling them. The first polls are
   * spread over the interval. The next time is for deployments that are locked, and for those with a task that has just become
   * due, whose claim would skip a locked deployment. `reports_unpolled`: the deployment still shows a status but is no longer
   * polled.
   */
  follow: (limit: number) =>
    db.any(sql.type(Followed)`
      with changed as materialized (
        select id, enabled, deleting, state, revision_id, installed_cluster_id from deployments d
        where not polls_followed and not exists (
          select from deployment_tasks t where t.deployment_id = d.id and t.status = 'Pending'
            and t.due_at between clock_timestamp() - interval '1 minute' and clock_timestamp()
        )
        order by id limit ${limit} for update skip locked
      ),
      pollable as materialized (${pollable(sql.fragment`changed`)}),
      dropped as (
        delete from status_polls p using changed
        where p.deployment_id = changed.id and not exists (select from pollable where id = p.deployment_id)
      ),
      polled as (
        insert into status_polls as p (deployment_id, interval_secs, due_at)
        select id, interval_secs, clock_timestamp() + random() * least(interval_secs, 60) * interval '1 second'
        from pollable
        on conflict (deployment_id) do update set interval_secs = excluded.interval_secs
          where p.interval_secs <> excluded.interval_secs
      )
      update deployments d set polls_followed = true from changed
      where d.id = changed.id
      returning d.id,
        d.reported_status is not null and not exists (select from pollable where id = d.id) as reports_unpolled
    `),

  /** The same for all deployments, after a change of other facts that decide what is polled, such as features of charts. */
  refollow: () =>
    db.query(statement`
      with pollable as materialized (${pollable(sql.fragment`deployments`)})
      update deployments d set polls_followed = false
      from (
        select coalesce(p.deployment_id, w.id) as id
        from status_polls p full join pollable w on w.id = p.deployment_id
        where p.interval_secs is distinct from w.interval_secs
      ) differing
      where d.id = differing.id and d.polls_followed
    `),

  /** Claims the due polls. */
  claim: ({ quick, slow }: { quick: number; slow: number }) =>
    db.any(sql.type(DuePoll)`
      with quick as materialized (${duePolls(sql.fragment`not is_slow`, quick)}),
      slow as materialized (${duePolls(sql.fragment`is_slow`, slow)}),
      claimed as (
        update status_polls p set fence = ${newFence}, due_at = ${inMs(leaseMs)}
        from (select * from quick union all select * from slow) due
        where p.deployment_id = due.deployment_id
        returning p.deployment_id, p.fence, extract(epoch from clock_timestamp() - due.due_at)::float as late_seconds
      )
      select p.deployment_id, p.fence, p.late_seconds, i.hostname, d.installed_namespace as namespace,
        k.name as cluster_name, k.ingress_domain, c.features
      from claimed p
      join deployments d on d.id = p.deployment_id
      join installed_runs i on i.deployment_id = d.id and i.task_id = d.revision_id
      join deployment_tasks t on t.id = d.revision_id
      join helm_chart_projection c on c.id = t.run_chart_id
      join k8s_cluster_projection k on k.id = d.installed_cluster_id and not k.deleted
      where d.installed_namespace is not null
    `),

  /** Makes the polls that this claim still holds due at once. */
  giveBack: async (polls: readonly ClaimedPoll[]): Promise<void> => {
    if (polls.length === 0) return;
    await db.query(statement`
      update status_polls p set fence = null, due_at = clock_timestamp() from ${claimsAsRows(polls)} where ${isHeld}
    `);
  },

  /** Sets the next time of each poll that this claim still holds; returns their previous reports. */
  finish: (results: readonly Pick<StatusPollResult, 'deployment_id' | 'fence' | 'took_ms'>[]) =>
    db.any(sql.type(Polled)`
      update status_polls p set
        fence = null,
        is_slow = r.took_ms > ${slowMs},
        due_at = clock_timestamp() + (0.9 + 0.2 * random())
          * greatest(p.interval_secs * 1000, r.took_ms * ${pausePerTime}) * interval '1 millisecond'
      from ${claimsAsRows(results)} join deployments d on d.id = r.deployment_id
      where ${isHeld}
      returning p.deployment_id, d.reported_status
    `),
});
