import { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import { Id, JsonObject, Timestamp } from '@berth/contracts/fields/fields';
import { z } from 'zod';
import { DeploymentState } from './deployment-record.ts';
import { Requester } from './requester.ts';
import { TaskRun } from './task-run.ts';

/** The place and state of a deployment before a Recreate. */
export const Undo = z.strictObject({
  name: z.string(),
  cluster_id: Id,
  env_id: Id,
  namespace: z.string(),
  /** Known once the Recreate has started. */
  before: z.strictObject({ state: DeploymentState, reason: z.string().nullable() }).optional(),
});
export type Undo = z.infer<typeof Undo>;

/** A change as it was accepted, possibly under wider limits than today's. */
const StoredChange = DeploymentChanges.extend({
  config: JsonObject.optional(),
  values_override: JsonObject.nullable().optional(),
});

/** A task with the columns that only the engine needs. */
export const TaskRecord = DeploymentTask.extend({
  env_id: Id,
  due_at: Timestamp,
  /** Null until the start for operations that resolve it then: Reinstall, Uninstall, Recreate, and scheduled tasks. */
  run: TaskRun.nullable(),
  /** The change of the deployment that is made when the task starts. */
  change: StoredChange.nullable(),
  /** Null if the requester is unknown, and for tasks of the platform itself. */
  requester: Requester.nullable(),
  undo: Undo.nullable(),
  /** The inputs that are hidden in operation and run. Null if this was never determined: an older version wrote the row. */
  hidden_inputs: z.array(z.string()).nullable(),
  /** A second cluster that must be reachable: the old one of a move. */
  also_cluster_id: Id.nullable(),
  reinstall_dependents: z.boolean(),
  /** It was scheduled, so its requester's rights are checked again when it starts. */
  checks_requester: z.boolean(),
  deletes_deployment: z.boolean(),
  /** The hooks of the release do not run when it is removed. */
  skips_hooks: z.boolean(),
  fence: z.number().int(),
  /** The last claim in which Helm had begun. */
  helm_fence: z.number().int(),
  /** Helm has ended in the latest claim, which only waits for the objects of the release. */
  awaits_readiness: z.boolean(),
  waited_ms: z.number().int(),
  forbidden_ms: z.number().int(),
  handed_back: z.number().int(),
  acknowledged_fence: z.number().int().nullable(),
  cancel_requested_at: Timestamp.nullable(),
  cancel_reason: z.string().nullable(),
  request_id: z.string().nullable(),
  traceparent: z.string().nullable(),
});
export type TaskRecord = z.infer<typeof TaskRecord>;

/** The public fields of a task. */
export const publicTask = (task: TaskRecord): DeploymentTask => ({
  id: task.id,
  created_at: task.created_at,
  execute_at: task.execute_at,
  first_attempted_at: task.first_attempted_at,
  started_at: task.started_at,
  finished_at: task.finished_at,
  cluster_id: task.cluster_id,
  deployment_id: task.deployment_id,
  acting_user_id: task.acting_user_id,
  acting_deployment_id: task.acting_deployment_id,
  canceled_by_user_id: task.canceled_by_user_id,
  canceled_by_deployment_id: task.canceled_by_deployment_id,
  operation: task.operation,
  status: task.status,
  reason: task.reason,
  attempts: task.attempts,
});
