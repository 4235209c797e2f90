import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import type { RequestedOperation, TaskOperation } from '@berth/contracts/resources/tasks/task-operation';
import type { AppError } from '@berth/contracts/errors';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { FieldPaths } from '../../records/field-paths.ts';
import type { NewTask } from '../../records/new-task.ts';
import type { OpenTask } from '../../records/open-task.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { DeployRun, RestartedObject, TaskRun } from '../../records/task-run.ts';
import type { Effect, Variant } from '../../records/variant.ts';
import type { DeploymentEvent } from '../deployments/lifecycle.ts';

/**
 * One operation of a task: its functions stand in the order of a task's life. All are pure: they read and write nothing, so the
 * same row gives the same answer. Rules common to all operations are in the engine around them.
 */
export interface Operation {
  /** All that plans, queues and queries need to know about the operation. A task that `installs` makes a revision. */
  effect: Effect;
  /** The error that answers every request for it; absent if users may request it. */
  notRequestable?: () => AppError;
  /** Why the operation does not fit the deployment's present state; null if it does. */
  refusal(deployment: Pick<DeploymentRecord, 'enabled' | 'revision_id'>, hasOpenTasks: boolean): string | null;
  /** Rows that its checks need besides the deployment, both on request and at the start; absent if none. */
  needs?: (operation: RequestedOperation | TaskOperation) => Needs;
  /** How a request changes the deployment; null if it does not. */
  change: ChangeRequested | null;
  /** The task, with all that it needs to run later. */
  task(planned: Planned): NewTask;
  /** The comparison that a runner makes for a plan with this task; null if there is nothing to compare. */
  dryRun(task: Pick<NewTask, 'operation' | 'run'>, deployment: DeploymentRecord): ComparedRun | null;

  /** Why a task that is due has nothing left to do; null if it does. */
  nothingToDo(deployment: Pick<DeploymentRecord, 'enabled' | 'deleting' | 'revision_id'>): string | null;
  /** The run of a task, once all tasks before it are over. `revision`: the run of the last Install or Upgrade. */
  runAtStart(task: Startable, deployment: DeploymentRecord, revision: DeployRun | null): Start;
  /** The event of the deployment's lifecycle when the task starts; null if its state does not change. */
  startEvent: DeploymentEvent | null;

  /** The deployment after the task is done. `isFollowed`: a task that deploys comes next. */
  afterSuccess(deployment: DeploymentRecord, taskId: string, isFollowed: boolean): DeploymentRecord;
  /** Whether a run that had begun may be repeated after its claim ended without an outcome. */
  isRepeatable: boolean;
  /** How to retry a failed or canceled task; the deployment is not being deleted. */
  retry(old: Retryable, now: RetriedNow): Retry;
}

export interface Needs {
  /** An action of a chart, with who may request it and which inputs it takes. */
  action?: InvokedAction;
  /** A tracked Kubernetes object; its owner is asked about it before anything is locked. */
  object?: NamedObject;
}
export type InvokedAction = Extract<TaskOperation, { InvokeAction: unknown }>['InvokeAction'];
export type NamedObject = Extract<TaskOperation, { RestartK8sResource: unknown }>['RestartK8sResource'];

interface ChangeRequested {
  of(requested: RequestedOperation): DeploymentChanges;
  /** The fields of a request that name the object. */
  paths: FieldPaths;
}

/** A release that would be installed or removed. */
export type ComparedRun = Pick<TaskRun, 'cluster_id' | 'namespace'> & {
  action: 'deploy' | 'uninstall';
  run: DeployRun | null;
};

export interface Planned {
  /** Null if the deployment is new. */
  before: DeploymentRecord | null;
  after: DeploymentRecord;
  /** The name of its kind. */
  kind: string;
  /** Whether the chart reinstalls dependents after changes of the deployment. */
  reinstallDependents: boolean;
  /** The request, if the operation was requested by its name. */
  requested?: RequestedOperation;
  /** For a rollback, the task to which it returns. */
  rollbackTo?: string | undefined;
  /** The object to restart. */
  object?: RestartedObject | undefined;
}

export type Startable = Pick<TaskRecord, 'operation' | 'run'>;
export type Start = { run: TaskRun } | { impossible: string };

export type Retryable = Pick<TaskRecord, 'operation' | 'run' | 'deletes_deployment' | 'reinstall_dependents'> &
  Partial<Pick<TaskRecord, 'hidden_inputs'>>;

export interface RetriedNow {
  deployment: DeploymentRecord;
  open: readonly Pick<OpenTask, 'effect' | 'is_scheduled'>[];
}

export type Retry =
  | { refused: string }
  /** The request again, with its checks. */
  | { request: RequestedOperation }
  /** The deletion of the deployment again. */
  | { deletion: true }
  /** New tasks for the present places of the releases, then the same run again, if given. */
  | { plan: readonly Variant[]; again?: NewTask & { run: DeployRun } };
