import { type FragmentSqlToken, sql } from 'slonik';
import type { ClusterObstacle, LimitObstacle, QueueObstacle } from '../../engine/tasks/wait-reason.ts';
import type { Limits } from '../../records/limits.ts';

/**
 * Obstacles to the start of a task, each defined only here: a claim takes tasks without obstacles, and the reason of a pending
 * task names the first. They are grouped by the rows that they depend on, so that a claim checks a cluster once and not for each
 * task.
 */
type Obstacles<Name extends string> = readonly (readonly [name: Name, isThere: FragmentSqlToken])[];

/** A subquery is constant within a statement, so indexes by time can be used. */
const now = sql.fragment`(select clock_timestamp())`;

/**
 * The open tasks of the deployment that must end before the task starts. Started tasks must always, even if the clock was set
 * back since.
 */
export const earlierTasks = (t: FragmentSqlToken) => sql.fragment`
  from deployment_tasks e
  where e.deployment_id = ${t}.deployment_id and e.status in ('Pending', 'Started') and e.id <> ${t}.id
    and (e.status = 'Started' or (e.execute_at, e.created_at, e.seq) < (${t}.execute_at, ${t}.created_at, ${t}.seq))`;

const inQueue = (t: FragmentSqlToken): Obstacles<QueueObstacle> => [
  ['earlier task', sql.fragment`exists (select ${earlierTasks(t)})`],
  ['not due', sql.fragment`${t}.due_at > ${now}`],
];

/** The columns of `c` are null where the cluster has never been known. */
const atCluster = (c: FragmentSqlToken): Obstacles<ClusterObstacle> => [
  ['unknown', sql.fragment`(${c}.id is null or ${c}.deleted)`],
  ['ignored', sql.fragment`${c}.ignore`],
  ['unreachable', sql.fragment`not ${c}.is_ok`],
];

/** A task that only awaits readiness takes no slot. */
export const works = (t: FragmentSqlToken) => sql.fragment`${t}.status = 'Started' and not ${t}.awaits_readiness`;

const s = sql.fragment`s`;

const byLimits = (
  cluster_id: FragmentSqlToken,
  { perCluster, inAll, waitingPerCluster }: Limits,
): Obstacles<LimitObstacle> => [
  [
    'cluster full',
    sql.fragment`(
      select count(*) from deployment_tasks s where s.cluster_id = ${cluster_id} and ${works(s)}
    ) >= ${perCluster}`,
  ],
  [
    'cluster waits',
    sql.fragment`(
      select count(*) from deployment_tasks s
      where s.cluster_id = ${cluster_id} and s.status = 'Started' and s.awaits_readiness
    ) >= ${waitingPerCluster}`,
  ],
  ['platform full', sql.fragment`(select count(*) from deployment_tasks s where ${works(s)}) >= ${inAll}`],
];

/** Each condition is negated separately, so that the planner turns them into joins. */
const isNone = (obstacles: Obstacles<string>) =>
  sql.join(
    obstacles.map(([, isThere]) => sql.fragment`not (${isThere})`),
    sql.fragment` and `,
  );

const firstOf = (obstacles: Obstacles<string>) =>
  sql.fragment`case ${sql.join(
    obstacles.map(([name, isThere]) => sql.fragment`when ${isThere} then ${name}`),
    sql.fragment` `,
  )} end`;

/** The task itself has no obstacle; `clusterIsFree` checks its cluster. A move also needs its old cluster. */
export const taskIsFree = (t: FragmentSqlToken) => sql.fragment`
  ${isNone(inQueue(t))}
  and (
    ${t}.also_cluster_id is null
    or exists (select 1 from k8s_cluster_projection o where o.id = ${t}.also_cluster_id and ${isNone(atCluster(sql.fragment`o`))})
  )`;

/** Only slots and runners keep the task from its start; the old cluster of a move is left out. */
export const isWaitingForSlot = (t: FragmentSqlToken) => sql.fragment`
  ${isNone(inQueue(t))} and exists (
    select 1 from k8s_cluster_projection c where c.id = ${t}.cluster_id and ${isNone(atCluster(sql.fragment`c`))}
  )`;

/** The cluster can take one more task. */
export const clusterIsFree = (c: FragmentSqlToken, limits: Limits) =>
  sql.fragment`${isNone(atCluster(c))} and ${isNone(byLimits(sql.fragment`${c}.id`, limits))}`;

/** The first obstacle of a task, or null. `c` is its cluster, `o` its other cluster; both are left-joined. */
export const obstacles = ({ t, c, o }: Record<'t' | 'c' | 'o', FragmentSqlToken>, limits: Limits) => sql.fragment`
  ${firstOf(inQueue(t))} as queue_obstacle,
  ${firstOf(atCluster(c))} as cluster_obstacle,
  case when ${t}.also_cluster_id is not null then ${firstOf(atCluster(o))} end as other_cluster_obstacle,
  ${firstOf(byLimits(sql.fragment`${t}.cluster_id`, limits))} as limit_obstacle`;
