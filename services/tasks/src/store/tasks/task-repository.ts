import type { RequestOutput } from '@berth/contracts/definition/contract';
import { DeploymentTask, type deploymentTasks, TaskEnd } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { Queries } from '@berth/db/database';
import { Id, Timestamp } from '@berth/contracts/fields/fields';
import { type Condition, equals, inEnvs, isOneOf } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { statement } from '@berth/db/statement';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import type { Outlook } from '../../engine/deployments/resting-reason.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import { TaskRecord } from '../../records/task-record.ts';
import { DeployRun } from '../../records/task-run.ts';
import { numberOfTasksOfDeployments, numberOfTasksOfEnvs } from '../counts/count-repository.ts';
import { OpenTask } from '../../records/open-task.ts';

const columns = sql.fragment`
  id, created_at, execute_at, first_attempted_at, started_at, finished_at, cluster_id, deployment_id, acting_user_id,
  acting_deployment_id, canceled_by_user_id, canceled_by_deployment_id, operation, status, reason, attempts`;

/** With the columns that only the engine needs; qualified, because the claim joins. */
export const taskRecordColumns = sql.fragment`
  t.id, t.created_at, t.execute_at, t.first_attempted_at, t.started_at, t.finished_at, t.cluster_id, t.deployment_id,
  t.acting_user_id, t.acting_deployment_id, t.canceled_by_user_id, t.canceled_by_deployment_id, t.operation, t.status,
  t.reason, t.attempts, t.env_id, t.due_at, t.run, t.change, t.requester, t.undo, t.also_cluster_id, t.reinstall_dependents,
  t.deletes_deployment, t.skips_hooks, t.awaits_readiness, t.helm_fence, t.waited_ms, t.forbidden_ms, t.handed_back, t.fence, t.acknowledged_fence, t.cancel_requested_at, t.cancel_reason, t.request_id, t.traceparent, t.checks_requester,
  t.hidden_inputs`;

const record = sql.type(TaskRecord);
const OutlookRow = z.object({ uninstalls: z.boolean(), deploys: DeployRun.nullable() });
const ran = sql.type(TaskRecord.pick({ deployment_id: true, operation: true, status: true, run: true }));
const publicTask = sql.type(DeploymentTask);
const explained = sql.type(
  TaskRecord.pick({
    id: true,
    status: true,
    operation: true,
    reason: true,
    started_at: true,
    finished_at: true,
    awaits_readiness: true,
    cancel_requested_at: true,
    cancel_reason: true,
  }),
);
const ended = sql.type(
  TaskEnd.pick({}).extend({ id: Id, ended: TaskEnd.shape.status, finished_at: Timestamp.nullable() }),
);

/** Which task it is, without its inputs. */
const TaskName = DeploymentTask.pick({ id: true, deployment_id: true, status: true, reason: true });
const name = sql.type(TaskName);

/** The size of a task in an answer. Besides the operation these are ids, times, names and the wait reason. */
const bytes = sql.fragment`operation_bytes + 4096 + 6 * coalesce(octet_length(reason), 0)`;

/** A task belongs to the env of its cluster. Only site admins and bots see tasks of deleted deployments. */
const seenBy = (visible: VisibleEnvs, env_id?: string) =>
  sql.fragment`${sql.and([
    inEnvs(sql.fragment`env_id`, visible, env_id),
    visible === 'all' ? undefined : sql.fragment`exists (select 1 from deployments d where d.id = deployment_id)`,
  ])}`;

/** A task is never due before it is created. With the redundant second condition, both sort orders skip earlier tasks. */
const createdFrom = (time: string | undefined) =>
  time === undefined
    ? undefined
    : sql.fragment`created_at >= ${time}::timestamptz and execute_at >= ${time}::timestamptz`;

type ListQuery = RequestOutput<typeof deploymentTasks.operations.list>['query'];

/** The conditions on columns that group the counts of tasks. */
const countedConditions = (query: ListQuery, visible: VisibleEnvs): Condition[] => [
  seenBy(visible, query.env_id),
  equals(sql.fragment`cluster_id`, query.cluster_id),
  equals(sql.fragment`deployment_id`, query.deployment_id),
  equals(sql.fragment`status`, query.status),
  query.active_only ? sql.fragment`status in ('Pending', 'Started')` : undefined,
];

const otherConditions = ({ ids, acting_user_id }: ListQuery): Condition[] => [
  isOneOf(sql.fragment`id`, ids),
  equals(sql.fragment`acting_user_id`, acting_user_id),
];

const timeConditions = ({ show_future, created_from }: ListQuery): Condition[] => [
  show_future === false ? sql.fragment`execute_at <= now()` : undefined,
  createdFrom(created_from),
];

/**
 * The number of tasks, from their counts if these know each condition. Tasks in the future are few, so they are counted and
 * subtracted.
 */
function totalOf(
  { show_future, deployment_id, created_from, ids, acting_user_id }: ListQuery,
  visible: VisibleEnvs,
  counted: readonly Condition[],
): FragmentSqlToken | undefined {
  if ([created_from, ids, acting_user_id].some((filter) => filter !== undefined)) return undefined;
  const dependsOnDeployments = visible !== 'all' || deployment_id !== undefined;
  const all = (dependsOnDeployments ? numberOfTasksOfDeployments : numberOfTasksOfEnvs)(counted);
  if (show_future !== false) return all;
  const future = sql.and([...counted, sql.fragment`execute_at > now()`]);
  return sql.fragment`select (${all}) - (select count(*) from deployment_tasks where ${future})`;
}

export const createTaskRepository = (db: Queries) => ({
  list: (query: ListQuery, visible: VisibleEnvs) => {
    const counted = countedConditions(query, visible);
    return listPage(db, {
      row: DeploymentTask,
      columns,
      from: sql.fragment`deployment_tasks`,
      where: [...counted, ...otherConditions(query), ...timeConditions(query)],
      numTotal: totalOf(query, visible, counted),
      request: query,
      bytes,
      newestBy: sql.fragment`execute_at`,
      sortable: {
        execute_at: sql.fragment`execute_at`,
        created_at: sql.fragment`created_at`,
        started_at: sql.fragment`started_at`,
        finished_at: sql.fragment`finished_at`,
        status: sql.fragment`status`,
      },
    });
  },

  /** Whether the caller sees the task; reads none of its inputs. */
  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(name`
      select id, deployment_id, status, reason from deployment_tasks
      where ${sql.and([sql.fragment`id = ${id}`, seenBy(visible)])}
    `),

  /** The cluster to which canceling the task would move its deployment; null if it stays. */
  clusterToReturnTo: (id: string) =>
    db.maybeOneFirst(sql.type(z.object({ cluster_id: Id }))`
      select undo ->> 'cluster_id' as cluster_id from deployment_tasks
      where id = ${id} and status in ('Pending', 'Started') and helm_fence = 0
        and undo ->> 'cluster_id' <> cluster_id::text
    `),

  /** Keeps the row until the transaction ends. */
  lock: (id: string) =>
    db.maybeOne(record`select ${taskRecordColumns} from deployment_tasks t where t.id = ${id} for update`),

  read: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(publicTask`
      select ${columns} from deployment_tasks where ${sql.and([sql.fragment`id = ${id}`, seenBy(visible)])}
    `),

  /** A task as far as its facts depend on it. */
  explained: (id: string) =>
    db.maybeOne(explained`
      select id, status, operation, reason, started_at, finished_at, awaits_readiness, cancel_requested_at, cancel_reason
      from deployment_tasks where id = ${id}
    `),

  /** The last task of a deployment that ended, of those that change its release. */
  lastEnded: (deployment_id: string) =>
    db.maybeOne(ended`
      select id, status as ended, finished_at from deployment_tasks
      where deployment_id = ${deployment_id} and status in ('Done', 'Failed', 'Canceled') and effect <> 'keeps'
        and first_attempted_at is not null
      order by finished_at desc limit 1
    `),

  /** The number and size of a deployment's open tasks. */
  sizeOfOpen: (deployment_id: string) =>
    db.one(sql.type(z.object({ count: z.number().int(), bytes: z.number().int() }))`
      select count(*) as count,
        coalesce(sum(operation_bytes + snapshot_bytes + coalesce(octet_length(sealed_inputs), 0)), 0)::bigint as bytes
      from deployment_tasks left join deployment_task_inputs on task_id = id
      where deployment_id = ${deployment_id} and status in ('Pending', 'Started')
    `),

  isAnyCheckDue: () =>
    db.exists(statement`
      select from deployment_tasks where status = 'Pending' and checks_requester and due_at <= clock_timestamp()
    `),

  /** In the order in which they run. */
  open: (deployment_id: string) =>
    db.any(sql.type(OpenTask)`
      select id, status, first_attempted_at, variant, effect, deploys, change is not null as is_scheduled, deletes_deployment,
        undo, helm_fence, awaits_readiness
      from deployment_tasks
      where deployment_id = ${deployment_id} and status in ('Pending', 'Started')
      order by execute_at, created_at, seq
    `),

  /** Whether it was created to adopt the release in its place, and no deploy has succeeded yet. */
  awaitsAdoption: ({ id, cluster_id, namespace }: Pick<DeploymentRecord, 'id' | 'cluster_id' | 'namespace'>) =>
    db.oneFirst(sql.type(z.object({ awaits: z.boolean() }))`
      select coalesce(bool_or(run -> 'adopts' is not null), false) and not coalesce(bool_or(status = 'Done'), false) as awaits
      from deployment_tasks
      where deployment_id = ${id} and run ->> 'action' = 'deploy'
        and run ->> 'cluster_id' = ${cluster_id} and run ->> 'namespace' = ${namespace}
    `),

  /** The results that are expected of a deployment's open tasks, without changes that are made at the start. */
  outlook: (deployment_id: string): Promise<Outlook> =>
    db.one(sql.type(OutlookRow)`
      select
        exists (
          select from deployment_tasks
          where deployment_id = ${deployment_id} and status in ('Pending', 'Started')
            and effect = 'removes' and change is null
        ) as uninstalls,
        (
          select run from deployment_tasks
          where deployment_id = ${deployment_id} and status in ('Pending', 'Started') and deploys
          order by execute_at desc, created_at desc, seq desc limit 1
        ) as deploys
    `),

  /** The status and run of a task. */
  ran: (id: string) =>
    db.maybeOne(ran`select deployment_id, operation, status, run from deployment_tasks where id = ${id}`),

  /** The run of a task; null if it installed nothing. */
  deployRunOf: async (id: string | null) => {
    const row = await db.maybeOne(sql.type(z.object({ run: DeployRun.nullable() }))`
      select case when run ->> 'action' = 'deploy' then run end as run from deployment_tasks where id = ${id}
    `);
    return row?.run ?? null;
  },
});
export type TaskRepository = ReturnType<typeof createTaskRepository>;
