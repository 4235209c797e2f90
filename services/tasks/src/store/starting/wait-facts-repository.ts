import { Id, Timestamp } from '@berth/contracts/fields/fields';
import type { Queries } from '@berth/db/database';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import {
  clusterObstacles,
  limitObstacles,
  mostCounted,
  queueObstacles,
  type WaitFacts,
} from '../../engine/tasks/wait-reason.ts';
import type { Limits } from '../../records/limits.ts';
import { earlierTasks, isWaitingForSlot, obstacles, works } from './obstacles.ts';

const ClusterFacts = z.object({ name: z.string().nullable(), last_seen_at: Timestamp });

const PendingTask = z.object({
  id: Id,
  queue_obstacle: z.enum(queueObstacles).nullable(),
  earlier_task_id: Id.nullable(),
  due_at: Timestamp,
  attempts: z.number().int(),
  is_waiting: z.boolean(),
  reason: z.string().nullable(),
  cluster_obstacle: z.enum(clusterObstacles).nullable(),
  cluster: ClusterFacts.nullable(),
  other_cluster_obstacle: z.enum(clusterObstacles).nullable(),
  other_cluster: ClusterFacts.nullable(),
  limit_obstacle: z.enum(limitObstacles).nullable(),
  is_new: z.boolean(),
  waiting_before: z.number().int(),
}) satisfies z.ZodType<WaitFacts>;

/** A cluster is named to its own env only. */
const factsOf = (c: FragmentSqlToken) => sql.fragment`
  case when ${c}.id is not null then jsonb_build_object(
    'name', case when ${c}.env_id = t.env_id then ${c}.name end,
    'last_seen_at', to_char(${c}.last_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) end`;

/** Runners poll every second, and sooner at hints. */
const claimedWithinMs = 2_000;

const t = sql.fragment`t`;
const c = sql.fragment`c`;
const o = sql.fragment`o`;

const heldBy = (env_id: FragmentSqlToken) =>
  sql.fragment`coalesce((select held from working where working.env_id = ${env_id}), 0)`;

const QueueDepth = z.object({
  cluster: z.string(),
  due: z.number().int(),
  started: z.number().int(),
  awaiting: z.number().int(),
  oldest_seconds: z.number(),
});

export const createWaitFactsRepository = (db: Queries) => ({
  /** The number of tasks per cluster, busiest cluster first. */
  depths: () =>
    db.any(sql.type(QueueDepth)`
      with open as (
        select cluster_id, count(*) as due, 0 as started, 0 as awaiting, min(due_at) as oldest from deployment_tasks
        where status = 'Pending' and due_at <= now() group by 1
        union all
        select cluster_id, 0, count(*) filter (where not awaits_readiness), count(*) filter (where awaits_readiness), null
        from deployment_tasks where status = 'Started' group by 1
      )
      select coalesce(c.name, 'unknown') as cluster, sum(o.due)::int as due, sum(o.started)::int as started,
        sum(o.awaiting)::int as awaiting,
        coalesce(extract(epoch from now() - min(o.oldest)), 0)::float as oldest_seconds
      from open o left join k8s_cluster_projection c on c.id = o.cluster_id
      group by 1 order by sum(o.due + o.started + o.awaiting) desc, 1
    `),

  /** For the pending ones of these tasks, in one statement per page. */
  of: (ids: readonly string[], limits: Limits) =>
    db.any(sql.type(PendingTask)`
      with working as materialized (
        select s.env_id, count(*) as held from deployment_tasks s where ${works(sql.fragment`s`)} group by 1
      )
      select t.id, ${obstacles({ t, c, o }, limits)},
        (select e.id ${earlierTasks(t)} order by e.execute_at, e.created_at, e.seq limit 1) as earlier_task_id,
        t.due_at, t.attempts, (t.waited_ms + t.forbidden_ms > 0) as is_waiting, t.reason,
        ${factsOf(c)} as cluster, ${factsOf(o)} as other_cluster,
        t.due_at > clock_timestamp() - ${claimedWithinMs} * interval '1 millisecond' as is_new,
        (
          select count(*)::integer from (
            select w.* from deployment_tasks w
            where w.status = 'Pending' and (w.due_at, w.seq) < (t.due_at, t.seq)
            order by w.due_at limit ${mostCounted}
          ) w
          -- An env that holds more slots waits for the others.
          where ${isWaitingForSlot(sql.fragment`w`)}
            and ${heldBy(sql.fragment`w.env_id`)} <= ${heldBy(sql.fragment`t.env_id`)}
        ) as waiting_before
      from deployment_tasks t
      left join k8s_cluster_projection c on c.id = t.cluster_id
      left join k8s_cluster_projection o on o.id = t.also_cluster_id
      where t.id = any(${sql.array([...ids], 'uuid')}) and t.status = 'Pending'
    `),
});
