import { type FragmentSqlToken, sql } from 'slonik';
import type { Limits } from '../../records/limits.ts';
import { clusterIsFree, taskIsFree, works } from './obstacles.ts';

const c = sql.fragment`c`;
const p = sql.fragment`p`;

/** Empty for tasks of the platform itself, which share as one requester. */
const requesterOf = (t: FragmentSqlToken) => sql.fragment`coalesce(${t}.requester ->> 'id', '')`;

/** For each cluster that can take a task: the oldest that may start there. Its cost does not grow with the tasks of the others. */
const freeClusters = (which: FragmentSqlToken, limits: Limits) => sql.fragment`
  free as materialized (
    select c.id, oldest.task_id, oldest.env_id, oldest.due_at, oldest.seq
    from k8s_cluster_projection c
    cross join lateral (
      select p.id as task_id, p.env_id, p.due_at, p.seq from deployment_tasks p
      where p.cluster_id = c.id and p.status = 'Pending' and ${taskIsFree(p)} and ${which}
      order by p.due_at, p.seq limit 1
    ) oldest
    where ${clusterIsFree(c, limits)}
  )`;

/** The oldest task that may start, with its cluster: for a queue in which nobody waits for anybody. */
export const oldestTask = (which: FragmentSqlToken, limits: Limits) => sql.fragment`
  with ${freeClusters(which, limits)},
  chosen as materialized (select id, task_id from free order by due_at, seq limit 1)`;

/** Requesters that one claim compares, so that its cost is bounded. */
const mostCompared = 32;

/**
 * The task that may start first, with its cluster. Choose the env that holds the fewest slots, in it the requester that holds the
 * fewest, and of this requester the oldest task. So nobody keeps the slots from others by queueing many tasks.
 *
 * Each requester with pending tasks at a cluster of the env costs one index lookup, so a claim compares at most `mostCompared`. It
 * walks the clusters in random order, in each from the first requester and from a random one, so that later claims compare others.
 * If no task of the compared requesters can start yet, the oldest that can is taken: an env whose tasks are all scheduled must not
 * hold up the other envs.
 */
export const sharedTask = (which: FragmentSqlToken, limits: Limits) => {
  const firstOf = (cluster_id: FragmentSqlToken, bounds: FragmentSqlToken) => sql.fragment`
    select ${requesterOf(p)} as requester, p.due_at, p.seq from deployment_tasks p
    where p.cluster_id = ${cluster_id} and p.status = 'Pending' and ${bounds}
    order by ${requesterOf(p)}, p.due_at, p.seq limit 1`;
  return sql.fragment`
  with recursive ${freeClusters(which, limits)},
  working as materialized (
    select w.env_id, ${requesterOf(sql.fragment`w`)} as requester, count(*) as held
    from deployment_tasks w where ${works(sql.fragment`w`)} group by 1, 2
  ),
  env as materialized (
    select f.env_id, gen_random_uuid()::text as middle from free f
    order by (select coalesce(sum(w.held), 0) from working w where w.env_id = f.env_id), f.due_at, f.seq limit 1
  ),
  requesters as (
    select f.id as cluster_id, half.until, first.requester, first.due_at, first.seq
    from (select f.id, env.middle from env join free f on f.env_id = env.env_id order by random()) f
    cross join lateral (values ('', f.middle), (f.middle, 'g')) as half(since, until)
    cross join lateral (
      ${firstOf(sql.fragment`f.id`, sql.fragment`${requesterOf(p)} >= half.since and ${requesterOf(p)} < half.until`)}
    ) first
    union all
    select r.cluster_id, r.until, next.requester, next.due_at, next.seq from requesters r
    cross join lateral (
      ${firstOf(
        sql.fragment`r.cluster_id`,
        sql.fragment`${requesterOf(p)} > r.requester and ${requesterOf(p)} < r.until`,
      )}
    ) next
  ),
  compared as materialized (select * from requesters limit ${mostCompared}),
  compared_first as materialized (
    select r.cluster_id as id, first.task_id
    from (
      select c.* from compared c
      order by (select coalesce(sum(w.held), 0) from working w where w.requester = c.requester), c.due_at, c.seq
    ) r
    cross join lateral (
      select p.id as task_id from deployment_tasks p
      where p.cluster_id = r.cluster_id and p.status = 'Pending' and ${requesterOf(p)} = r.requester
        and ${taskIsFree(p)} and ${which}
      order by p.due_at, p.seq limit 1
    ) first
    limit 1
  ),
  chosen as materialized (
    select id, task_id from compared_first
    union all
    (
      select f.id, f.task_id from free f join env on f.env_id = env.env_id
      where not exists (select from compared_first) order by f.due_at, f.seq limit 1
    )
  )`;
};
