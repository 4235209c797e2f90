import type { StateOperation } from '@berth/shared/bus/state/publish-state';
import { deploymentTasks } from '@berth/shared/contracts/resources/deployment-tasks';
import type { Transaction } from '@berth/shared/db/database';
import { recordStates } from '@berth/shared/db/outbox/outbox';
import { currentTraceparent } from '@berth/shared/service/trace-context';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { TaskWaits } from './after-claim.ts';
import type { Canceler } from '../records/canceler.ts';
import type { NewTask, Origin } from '../records/new-task.ts';
import { TaskRecord } from '../records/task-record.ts';
import { taskRecordColumns } from './task-repository.ts';

const record = sql.type(TaskRecord);
const withId = sql.type(z.object({ id: z.string() }));

/** Changes of many tasks at once read no more of them than is published: inputs may be megabytes each. */
const PublishedTask = TaskRecord.pick({ id: true, env_id: true, status: true });
type PublishedTask = z.infer<typeof PublishedTask>;
const publishedTask = sql.type(PublishedTask);
const publishedColumns = sql.fragment`t.id, t.env_id, t.status`;

const maybeJson = (value: Parameters<typeof sql.jsonb>[0] | undefined) =>
  value === null || value === undefined ? null : sql.jsonb(value);

/** Times come from one clock, to the millisecond and never ahead of it, so that a task is due when it is there. */
const clock = sql.fragment`date_trunc('milliseconds', clock_timestamp())`;

export interface PutBack extends TaskWaits {
  reason: string | null;
  /** The result of its claim was taken: a repetition of it is no error. */
  settles: boolean;
}

export type StartedAs = Pick<TaskRecord, 'operation' | 'cluster_id' | 'env_id'> & {
  run: NonNullable<TaskRecord['run']>;
};

/**
 * Every change of tasks but the claim. Each is told to the followers in the same transaction.
 * All of them are made under the lock of the deployment, which orders them; the runner's also by its fence.
 */
export const createTaskChanges = (tx: Transaction) => {
  const told = async <Rows extends readonly PublishedTask[]>(operation: StateOperation, rows: Rows): Promise<Rows> => {
    await recordStates(
      tx,
      deploymentTasks,
      rows.map(({ id, env_id, status }) => ({ id, env_id, operation, row: { id, status } })),
    );
    return rows;
  };
  const toldOne = async <Row extends PublishedTask>(operation: StateOperation, row: Row): Promise<Row> => {
    await told(operation, [row]);
    return row;
  };

  return {
    /** Later than the tasks that it has to wait for, so that lists show them in their order too. */
    insert: async (task: NewTask, origin: Origin): Promise<TaskRecord> =>
      toldOne(
        'INSERT',
        await tx.one(record`
          with clock as materialized (
            select greatest(${clock}, max(o.created_at) + interval '1 millisecond') as now
            from deployment_tasks o
            where o.deployment_id = ${task.deployment_id}::uuid and o.status in ('Pending', 'Started')
          )
          insert into deployment_tasks as t (
            created_at, execute_at, due_at, cluster_id, env_id, deployment_id, acting_user_id, acting_deployment_id,
            operation, run, change, requester, undo, also_cluster_id, reinstall_dependents, deletes_deployment, request_id,
            traceparent
          )
          select now, greatest(now, ${task.execute_at ?? null}::timestamptz), greatest(now, ${task.execute_at ?? null}::timestamptz),
            ${task.cluster_id}::uuid, ${task.env_id}::uuid, ${task.deployment_id}::uuid, ${origin.acting_user_id}::uuid,
            ${origin.acting_deployment_id}::uuid, ${sql.jsonb(task.operation)}, ${maybeJson(task.run)}::jsonb,
            ${maybeJson(task.change)}::jsonb, ${maybeJson(origin.requester)}::jsonb, ${maybeJson(task.undo)}::jsonb, ${task.also_cluster_id ?? null}::uuid,
            ${task.reinstall_dependents ?? false}, ${task.deletes_deployment ?? false}, ${origin.request_id}::text,
            ${currentTraceparent()}::text
          from clock
          returning ${taskRecordColumns}
        `),
      ),

    /** What only the start could tell. */
    saveStart: async (id: string, { run, operation, cluster_id, env_id }: StartedAs) =>
      tx.one(record`
        update deployment_tasks t set
          run = ${sql.jsonb(run)}, operation = ${sql.jsonb(operation)}, change = null,
          cluster_id = ${cluster_id}, env_id = ${env_id}
        where t.id = ${id}
        returning ${taskRecordColumns}
      `),

    /** Tells the followers of a start, which the claim itself does not. */
    tellStarted: (task: TaskRecord) => toldOne('UPDATE', task),

    /**
     * Renews the lease and counts the attempt, once for each claim; for a task that is to be canceled Helm does not begin.
     * Null when the claim is not the latest one any more.
     */
    helmBegins: async ({ task_id, fence }: { task_id: string; fence: number }, leaseMs: number) => {
      const row = await tx.maybeOne(record`
        update deployment_tasks t set
          lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
          attempts = t.attempts + case when t.cancel_requested_at is null and t.helm_fence < t.fence then 1 else 0 end,
          helm_fence = case when t.cancel_requested_at is null then t.fence else t.helm_fence end,
          waited_ms = 0, forbidden_ms = 0
        where t.id = ${task_id} and t.fence = ${fence} and t.status = 'Started'
        returning ${taskRecordColumns}
      `);
      return row && toldOne('UPDATE', row);
    },

    /** Ends a started task, if the claim is still the one that is meant. `settles`: its runner told how it ended. */
    end: async (
      { id, fence }: Pick<TaskRecord, 'id' | 'fence'>,
      { status, reason, settles }: { status: 'Done' | 'Failed' | 'Canceled'; reason: string | null; settles: boolean },
    ): Promise<TaskRecord | null> => {
      const row = await tx.maybeOne(record`
        update deployment_tasks t set
          status = ${status}, reason = ${reason}, finished_at = ${clock}, lease_until = null,
          settled_fence = case when ${settles} then t.fence end,
          canceled_by_user_id = case when ${status} = 'Canceled' then t.canceled_by_user_id end,
          canceled_by_deployment_id = case when ${status} = 'Canceled' then t.canceled_by_deployment_id end
        where t.id = ${id} and t.fence = ${fence} and t.status = 'Started'
        returning ${taskRecordColumns}
      `);
      return row && toldOne('UPDATE', row);
    },

    /** Gives a started task back to the queue, to be due again after a pause. */
    putBack: async (
      { id, fence }: Pick<TaskRecord, 'id' | 'fence'>,
      { reason, pauseMs, settles, ...history }: PutBack,
    ): Promise<PublishedTask | null> => {
      const row = await tx.maybeOne(publishedTask`
        update deployment_tasks t set
          status = 'Pending', reason = ${reason}, started_at = null, lease_until = null,
          attempts = ${history.attempts}, waited_ms = ${history.waited_ms}, forbidden_ms = ${history.forbidden_ms},
          handed_back = ${history.handed_back},
          settled_fence = case when ${settles} then t.fence end,
          due_at = ${clock} + ${pauseMs} * interval '1 millisecond'
        where t.id = ${id} and t.fence = ${fence} and t.status = 'Started'
        returning ${publishedColumns}
      `);
      return row && toldOne('UPDATE', row);
    },

    /** All changes that are due wait; those that are being worked on right now are left to the next time. */
    postponeChanges: async (reason: string, pauseMs: number): Promise<void> => {
      await tx.query(sql.type(z.object({}))`
        update deployment_tasks t set
          reason = ${reason}, due_at = ${clock} + ${pauseMs} * interval '1 millisecond'
        from (
          select id from deployment_tasks
          where status = 'Pending' and change is not null and due_at <= clock_timestamp()
          for update skip locked
        ) due
        where t.id = due.id
      `);
    },

    cancelPending: async (ids: readonly string[], by: Canceler): Promise<readonly PublishedTask[]> =>
      told(
        'UPDATE',
        await tx.any(publishedTask`
          update deployment_tasks t set
            status = 'Canceled', reason = ${by.reason}, finished_at = ${clock},
            canceled_by_user_id = ${by.user_id}::uuid, canceled_by_deployment_id = ${by.deployment_id}::uuid
          where t.id = any(${sql.array([...ids], 'uuid')}) and t.status = 'Pending'
          returning ${publishedColumns}
        `),
      ),

    /** The first request to stop counts. */
    requestCancel: async (id: string, by: Canceler): Promise<TaskRecord> =>
      toldOne(
        'UPDATE',
        await tx.one(record`
          update deployment_tasks t set
            cancel_requested_at = coalesce(t.cancel_requested_at, ${clock}),
            cancel_reason = case when t.cancel_requested_at is null then ${by.reason} else t.cancel_reason end,
            canceled_by_user_id =
              case when t.cancel_requested_at is null then ${by.user_id}::uuid else t.canceled_by_user_id end,
            canceled_by_deployment_id =
              case when t.cancel_requested_at is null then ${by.deployment_id}::uuid else t.canceled_by_deployment_id end
          where t.id = ${id}
          returning ${taskRecordColumns}
        `),
      ),

    /**
     * Pending tasks follow their deployment to where it is now, so that they are seen there and wait for that cluster. Not
     * those that know already where they run; an Uninstall goes where the release is.
     */
    movePending: async ({ id, cluster_id, env_id, installed_cluster_id }: DeploymentRecord) =>
      told(
        'UPDATE',
        await tx.any(publishedTask`
          update deployment_tasks t set
            cluster_id = case
              when t.variant = 'Uninstall' and t.change is null then ${installed_cluster_id ?? cluster_id}::uuid
              else ${cluster_id}::uuid
            end,
            env_id = ${env_id}
          where t.deployment_id = ${id} and t.status = 'Pending' and t.run is null and t.variant <> 'Recreate'
          returning ${publishedColumns}
        `),
      ),

    /** One pending Reinstall is enough for a deployment, so those that have one are left out. */
    reinstallUsersOf: (item: { collection: string; id: string }, reason: string, origin: Origin) =>
      reinstall(
        sql.fragment`id in (
          select deployment_id from deployment_references where collection = ${item.collection} and item_id = ${item.id}
        )`,
        reason,
        origin,
      ),

    reinstallAllOf: (env_id: string, reason: string, origin: Origin) =>
      reinstall(sql.fragment`env_id = ${env_id}`, reason, origin),

    reinstallThese: (ids: readonly string[], reason: string, origin: Origin) =>
      reinstall(sql.fragment`id = any(${sql.array([...ids], 'uuid')})`, reason, origin),

    /** Open tasks lie in the env of their deployment; those that are over stay where they were. */
    followEnv: async (deployment_ids: readonly string[], env_id: string) =>
      told(
        'UPDATE',
        await tx.any(publishedTask`
          update deployment_tasks t set env_id = ${env_id}
          where t.deployment_id = any(${sql.array([...deployment_ids], 'uuid')})
            and t.status in ('Pending', 'Started') and t.env_id <> ${env_id}
          returning ${publishedColumns}
        `),
      ),
  };

  /**
   * Of those that are not installed yet nothing is repeated; their Install will find the new state anyway. They are locked
   * by a statement before: whether a task of theirs has started is only known once nobody else is about to start one.
   */
  async function reinstall(which: FragmentSqlToken, reason: string, origin: Origin) {
    const ids = await tx.anyFirst(withId`
      select id from deployments where ${which} and enabled and not deleting order by id for update
    `);
    if (ids.length === 0) return [];
    const rows = await tx.any(publishedTask`
      with dependents as materialized (
        select id, cluster_id, env_id from deployments d
        where id = any(${sql.array([...ids], 'uuid')}) and enabled and not deleting and (
          revision_id is not null
          or exists (select 1 from deployment_tasks s where s.deployment_id = d.id and s.status = 'Started')
        )
      ),
      clock as materialized (select ${clock} as now)
      insert into deployment_tasks as t (
        created_at, execute_at, due_at, cluster_id, env_id, deployment_id, acting_user_id, acting_deployment_id,
        operation, requester, request_id, traceparent
      )
      select now, now, now, d.cluster_id, d.env_id, d.id, ${origin.acting_user_id}::uuid,
        ${origin.acting_deployment_id}::uuid, ${sql.jsonb({ Reinstall: { reason } })}, ${maybeJson(origin.requester)}::jsonb, ${origin.request_id}::text,
        ${currentTraceparent()}::text
      from dependents d cross join clock
      where not exists (
        select 1 from deployment_tasks p
        where p.deployment_id = d.id and p.status = 'Pending' and p.variant = 'Reinstall' and p.due_at <= now
      )
      returning ${publishedColumns}
    `);
    return told('INSERT', rows);
  }
};
export type TaskChangesRepository = ReturnType<typeof createTaskChanges>;
