import { z } from 'zod';
import { membersOfEnv } from '../../access/readers.ts';
import { type KindScope, maintainer, owner, signedIn, taskCreatorOrOwner } from '../../access/rules.ts';
import { operation, resource, stricter } from '../../definition/contract.ts';
import { Id, PlannedTime, Reason, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';
import { differsFrom } from '../../definition/differs-from.ts';
import { type Deployment, type DeploymentChanges, deployments, Superseding } from '../deployments/deployments.ts';
import { Why } from '../deployments/why.ts';
import { LogLine } from './runner-tasks.ts';
import { RequestedOperation, TaskOperation } from './task-operation.ts';

export const TaskStatus = z.enum(['Pending', 'Started', 'Failed', 'Canceled', 'Done']);
export type TaskStatus = z.infer<typeof TaskStatus>;

export const DeploymentTask = z.strictObject({
  id: Id,
  created_at: Timestamp,
  execute_at: Timestamp,
  first_attempted_at: Timestamp.nullable(),
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
  cluster_id: Id,
  /** Stays when the deployment is deleted. */
  deployment_id: Id,
  acting_user_id: Id.nullable(),
  acting_deployment_id: Id.nullable(),
  canceled_by_user_id: Id.nullable(),
  canceled_by_deployment_id: Id.nullable(),
  operation: TaskOperation,
  status: TaskStatus,
  /** Why it failed, was canceled, or still waits. */
  reason: z.string().nullable(),
  /** Attempts in which Helm started, except those that a stopping runner handed back. */
  attempts: z.number().int(),
});
export type DeploymentTask = z.infer<typeof DeploymentTask>;

/** How a task ended. */
export const TaskEnd = DeploymentTask.pick({ reason: true }).extend({
  status: TaskStatus.extract(['Done', 'Failed', 'Canceled']),
});
export type TaskEnd = z.infer<typeof TaskEnd>;

/** No service has a projection of tasks, and their inputs may be megabytes. */
export const PublishedTask = DeploymentTask.pick({ id: true, status: true });

export const NewDeploymentTask = z.strictObject({
  deployment_id: Id,
  operation: RequestedOperation,
  execute_at: PlannedTime.optional(),
});
export type NewDeploymentTask = z.infer<typeof NewDeploymentTask>;

type Overridden = Pick<Deployment, 'values_override'>;

/** Whether an action is for owners is part of the chart. */
export interface OfAction {
  needsOwner: boolean;
}

export const RetryRequest = z.strictObject({
  /** Removes the release without its hooks, one of which may fail each time. */
  skip_hooks: z.boolean().optional(),
});
export type RetryRequest = z.infer<typeof RetryRequest>;

/** The facts that decide who may retry a task. */
export interface RetriedTask {
  /** Null if it was deleted. */
  deployment: (KindScope & Overridden) | null;
  /** The operation is an action for owners. */
  needsOwner: boolean;
  /** The change of the deployment, if the task has not made it yet. */
  change: DeploymentChanges | null;
  /** Whether it deletes the deployment. */
  deletes: boolean;
}

/** Whether a change is for owners. Maintainers change chart and inputs; owners also enable, disable and override. */
export const changesForOwners = (change: DeploymentChanges, deployment: Overridden): boolean =>
  change.enabled !== undefined || differsFrom(deployment, change, ['values_override']);

function isForOwners(operation: RequestedOperation, deployment: Overridden): boolean {
  if ('Install' in operation || 'Uninstall' in operation) return true;
  return 'Upgrade' in operation && differsFrom(deployment, operation.Upgrade, ['values_override']);
}

/** The facts that decide who may roll a deployment back. */
interface RolledBack extends Overridden {
  returns_to: Overridden;
}

export const deploymentTasks = resource('deployment_tasks', {
  owner: 'tasks',
  singular: 'deployment task',
  // The wait reason is computed on each read, so it may differ although the row is unchanged.
  etag: Object.keys(DeploymentTask.shape).filter((name) => name !== 'reason'),
  state: { row: DeploymentTask, readers: membersOfEnv, published: PublishedTask, consumers: [], event: ['status'] },
  operations: {
    list: operation({
      http: 'GET /deployment-tasks',
      summary: 'List deployment tasks',
      allow: signedIn,
      query: listQuery({
        filters: {
          ids: filter.ids,
          cluster_id: filter.id,
          deployment_id: filter.id,
          env_id: filter.id,
          acting_user_id: filter.nullableId.meta({
            description: 'created by this user; the word null selects those that no user created',
          }),
          status: TaskStatus,
          active_only: filter.boolean.meta({ description: 'only tasks that are Pending or Started' }),
          show_future: filter.boolean
            .default(true)
            .meta({ description: 'false leaves out what is scheduled for later' }),
          created_from: filter.time.meta({ description: 'created at this time or later' }),
        },
        sort: ['execute_at', 'created_at', 'started_at', 'finished_at', 'status'],
      }),
      response: pageOf(DeploymentTask),
    }),
    create: operation({
      http: 'POST /deployment-tasks',
      summary: 'Create a task, for now or for a later time',
      conflicts: 'the state of the deployment does not allow it, or too many tasks wait',
      allow: maintainer,
      stricter: [
        stricter({
          rule: owner,
          for: 'Install, Uninstall, a changed values_override, and actions that require an owner',
          when: (deployment: KindScope & Overridden & OfAction, { body }: { body: NewDeploymentTask }) =>
            deployment.needsOwner || isForOwners(body.operation, deployment) ? deployment : null,
        }),
      ],
      mayChange: ['deployments'],
      body: NewDeploymentTask,
      response: DeploymentTask,
    }),
    get: operation({
      http: 'GET /deployment-tasks/:id',
      summary: 'Read a deployment task',
      allow: signedIn,
      response: DeploymentTask,
    }),
    why: operation({
      http: 'GET /deployment-tasks/:id/why',
      summary: 'Read the facts that status and reason of a task are made of',
      allow: signedIn,
      response: Why,
    }),
    cancel: operation({
      http: 'DELETE /deployment-tasks/:id',
      summary: 'Cancel a pending task, or request that a started one stops',
      conflicts: 'the task is over',
      allow: taskCreatorOrOwner,
      stricter: [
        stricter({
          rule: owner,
          for: 'a move that goes back into another env',
          when: ({ returnsTo }: { returnsTo: KindScope | null }) => returnsTo,
        }),
      ],
      mayChange: ['deployments'],
      body: z.strictObject({ reason: Reason.optional() }),
      bodyOptional: true,
      response: DeploymentTask,
      status: 200,
    }),
    retry: operation({
      http: 'POST /deployment-tasks/:id/retry',
      summary: 'Make a new task of the same operation from one that failed or was canceled',
      conflicts: 'the task neither failed nor was canceled, or it no longer fits',
      allow: taskCreatorOrOwner,
      stricter: [
        stricter({
          rule: maintainer,
          for: 'any task of a deployment that is left',
          when: ({ retried }: { retried: RetriedTask }) => retried.deployment,
        }),
        stricter({
          rule: owner,
          for: 'a deletion, actions that require an owner, and a change of enabled or values_override that was never made',
          when: ({ retried: { deployment, change, deletes, needsOwner } }: { retried: RetriedTask }) =>
            deployment && (deletes || needsOwner || (change && changesForOwners(change, deployment)))
              ? deployment
              : null,
        }),
        stricter({
          rule: owner,
          for: 'a removal without its hooks',
          when: ({ retried }: { retried: RetriedTask }, { body }: { body: RetryRequest | undefined }) =>
            body?.skip_hooks ? retried.deployment : null,
        }),
      ],
      mayChange: ['deployments'],
      query: Superseding,
      body: RetryRequest,
      bodyOptional: true,
      response: DeploymentTask,
    }),
    rollback: operation({
      http: 'POST /deployments/:id/rollback',
      summary: 'Make a task that returns to chart, inputs and override of an earlier one that is Done',
      conflicts: 'the earlier task is not Done, the deployment is disabled or being deleted, or too many tasks wait',
      allow: maintainer,
      stricter: [
        stricter({
          rule: owner,
          for: 'another values_override than the present one',
          when: (deployment: KindScope & RolledBack) =>
            differsFrom(deployment, deployment.returns_to, ['values_override']) ? deployment : null,
        }),
      ],
      changesAlso: ['deployments'],
      ifMatch: deployments,
      query: Superseding,
      body: z.strictObject({ task_id: Id }),
      response: DeploymentTask,
    }),
    log: operation({
      http: 'GET /deployment-tasks/:id/log',
      summary: 'Read the log of a task as text; with follow=true until the task ends, and its outcome as the last line',
      allow: signedIn,
      query: z.strictObject({ follow: filter.boolean.default(false) }),
      response: z.string(),
      produces: 'text/plain',
    }),
    // The gateway calls this repeatedly while a client follows a log; the owner checks the caller's visibility each time.
    log_lines: operation({
      summary: 'The next lines of the log of a task',
      allow: signedIn,
      callers: ['api-gateway'],
      body: z.strictObject({
        task_id: Id,
        /** The number of the first requested line, from 0. */
        from: z.number().int().min(0),
        limit: z.number().int().min(1).max(500).default(500),
      }),
      response: z.strictObject({
        lines: z.array(LogLine),
        /** The `from` of the next call. */
        next: z.number().int(),
        /** The task has ended, and no lines follow these. */
        finished: z.boolean(),
        /** How it ended, once it is finished. Services of the previous version do not say it. */
        outcome: TaskEnd.optional(),
      }),
      idempotent: true,
    }),
  },
});
