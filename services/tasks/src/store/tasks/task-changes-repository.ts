import { randomUUID } from 'node:crypto';
import { jsonOrNull } from '@berth/db/postgres/json-or-null';
import type { Transaction } from '@berth/db/database';
import { currentTraceparent } from '@berth/service/trace-context';
import { sql } from 'slonik';
import { operationOf } from '../../engine/operations/index.ts';
import type { TaskWaits } from '../../engine/tasks/after-claim.ts';
import type { Canceler } from '../../records/canceler.ts';
import type { NewTask, Origin } from '../../records/new-task.ts';
import { TaskRecord } from '../../records/task-record.ts';
import { type Claim, isClaimOfTask } from '../queue/claim-sql.ts';
import { clock, type PublishedTask, publishedColumns, publishedTask, publishedTasks } from './published-tasks.ts';
import { createTaskInputsChanges } from './task-inputs-repository.ts';
import { taskRecordColumns } from './task-repository.ts';

const record = sql.type(TaskRecord);
export interface PutBack extends TaskWaits {
  reason: string | null;
  /** The outcome of its claim is recorded, so a repeated report is not an error. */
  acknowledges: boolean;
}

export type StartedAs = Pick<TaskRecord, 'operation' | 'cluster_id' | 'env_id' | 'undo'> & {
  run: NonNullable<TaskRecord['run']>;
};

/**
 * Changes of one task, except for claims. Each is published in its transaction and made under the lock of its deployment, which
 * orders them; changes by a runner are also ordered by its fence.
 */
export const createTaskChanges = (tx: Transaction) => {
  const published = publishedTasks(tx);

  return {
    /** Later than the tasks before it, so that lists by time show the queue in order. */
    insert: async (task: NewTask, origin: Origin): Promise<TaskRecord> => {
      const row = await tx.one(record`
          with clock as materialized (
            select greatest(${clock}, max(o.created_at) + interval '1 millisecond') as now
            from deployment_tasks o
            where o.deployment_id = ${task.deployment_id}::uuid and o.status in ('Pending', 'Started')
          )
          insert into deployment_tasks as t (
            id, created_at, execute_at, due_at, cluster_id, env_id, deployment_id, acting_user_id, acting_deployment_id,
            operation, effect, hidden_inputs, run, change, requester, undo, also_cluster_id, reinstall_dependents, deletes_deployment, skips_hooks, request_id,
            traceparent
          )
          select ${task.id ?? randomUUID()}::uuid, now, greatest(now, ${task.execute_at ?? null}::timestamptz), greatest(now, ${task.execute_at ?? null}::timestamptz),
            ${task.cluster_id}::uuid, ${task.env_id}::uuid, ${task.deployment_id}::uuid, ${origin.acting_user_id}::uuid,
            ${origin.acting_deployment_id}::uuid, ${sql.jsonb(task.operation)},
            ${operationOf(task.operation).effect}, ${sql.array([...(task.hidden_inputs ?? [])], 'text')}, ${jsonOrNull(task.run)}::jsonb,
            ${jsonOrNull(task.change)}::jsonb, ${jsonOrNull(origin.requester)}::jsonb, ${jsonOrNull(task.undo)}::jsonb, ${task.also_cluster_id ?? null}::uuid,
            ${task.reinstall_dependents ?? false}, ${task.deletes_deployment ?? false}, ${task.skips_hooks ?? false}, ${origin.request_id}::text,
            ${currentTraceparent()}::text
          from clock
          returning ${taskRecordColumns}
        `);
      if (task.inputs) await createTaskInputsChanges(tx).insert(task.inputs);
      return published.inserted(row);
    },

    /** The run that was determined at the start. */
    saveStart: async (id: string, { run, operation, cluster_id, env_id, undo }: StartedAs) =>
      tx.one(record`
        update deployment_tasks t set
          run = ${sql.jsonb(run)}, operation = ${sql.jsonb(operation)}, change = null,
          cluster_id = ${cluster_id}, env_id = ${env_id}, undo = ${jsonOrNull(undo)}::jsonb
        where t.id = ${id}
        returning ${taskRecordColumns}
      `),

    /** Records what a started task waits for. Null when the claim is no longer the latest one. */
    saveWait: async ({ task_id, fence }: { task_id: string; fence: number }, reason: string | null) => {
      const row = await tx.maybeOne(record`
        update deployment_tasks t set reason = ${reason}
        where ${isClaimOfTask({ id: task_id, fence })}
        returning ${taskRecordColumns}
      `);
      return published.updated(row);
    },

    /** Ends a started task if the claim is still the latest one. `acknowledges`: its runner reported the outcome. */
    end: async (
      claim: Claim,
      {
        status,
        reason,
        acknowledges,
      }: { status: 'Done' | 'Failed' | 'Canceled'; reason: string | null; acknowledges: boolean },
    ): Promise<TaskRecord | null> => {
      const row = await tx.maybeOne(record`
        update deployment_tasks t set
          status = ${status}, reason = ${reason}, finished_at = ${clock}, lease_until = null,
          acknowledged_fence = case when ${acknowledges} then t.fence end,
          canceled_by_user_id = case when ${status} = 'Canceled' then t.canceled_by_user_id end,
          canceled_by_deployment_id = case when ${status} = 'Canceled' then t.canceled_by_deployment_id end
        where ${isClaimOfTask(claim)}
        returning ${taskRecordColumns}
      `);
      return published.updated(row);
    },

    /** Puts a started task back; it is due after a pause. */
    putBack: async (
      claim: Claim,
      { reason, pauseMs, acknowledges, ...history }: PutBack,
    ): Promise<PublishedTask | null> => {
      const row = await tx.maybeOne(publishedTask`
        update deployment_tasks t set
          status = 'Pending', reason = ${reason}, started_at = null, lease_until = null,
          attempts = ${history.attempts}, waited_ms = ${history.waited_ms}, forbidden_ms = ${history.forbidden_ms},
          handed_back = ${history.handed_back},
          acknowledged_fence = case when ${acknowledges} then t.fence end,
          due_at = ${clock} + ${pauseMs} * interval '1 millisecond'
        where ${isClaimOfTask(claim)}
        returning ${publishedColumns}
      `);
      return published.updated(row);
    },

    /** Only the first cancellation of a started task counts. */
    requestCancel: (id: string, by: Canceler): Promise<TaskRecord> =>
      tx
        .one(record`
          update deployment_tasks t set
            cancel_requested_at = coalesce(t.cancel_requested_at, ${clock}),
            cancel_reason = case when t.cancel_requested_at is null then ${by.reason} else t.cancel_reason end,
            canceled_by_user_id =
              case when t.cancel_requested_at is null then ${by.user_id}::uuid else t.canceled_by_user_id end,
            canceled_by_deployment_id =
              case when t.cancel_requested_at is null then ${by.deployment_id}::uuid else t.canceled_by_deployment_id end
          where t.id = ${id}
          returning ${taskRecordColumns}
        `)
        .then(published.updated),
  };
};
