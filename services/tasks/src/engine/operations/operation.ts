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
 * The questions that every operation of a task answers, in the order of a task's life. All answers are pure: the same
 * row gives the same answer, and nothing is read or written. What holds for all operations is in the engine around them.
 */
export interface Operation {
  /** All that plans, queues and queries need to know of it. A task that `installs` makes a revision. */
  effect: Effect;
  /** The error of every request for it; absent if it may be requested. */
  notRequestable?: () => AppError;
  /** Why it does not fit the deployment's present state; null if it does. */
  refusal(deployment: Pick<DeploymentRecord, 'enabled' | 'revision_id'>, hasOpenTasks: boolean): string | null;
  /** What the checks of a request, and of its start, read besides the deployment; absent if nothing. */
  needs?: (operation: RequestedOperation | TaskOperation) => Needs;
  /** How a request changes the deployment; null if it changes nothing of it. */
  change: ChangeRequested | null;
  /** The task, with what it needs to run when its turn comes. */
  task(planned: Planned): NewTask;
  /** What a runner compares for a plan that has the task; null if nothing of it can be shown. */
  dryRun(task: Pick<NewTask, 'operation' | 'run'>, deployment: DeploymentRecord): ComparedRun | null;

  /** Why a task whose turn has come has nothing left to do; null if it has something. */
  nothingToDo(deployment: Pick<DeploymentRecord, 'enabled' | 'deleting' | 'revision_id'>): string | null;
  /** What a task runs, now that all before it are over. `revision`: what the last Install or Upgrade ran. */
  runAtStart(task: Startable, deployment: DeploymentRecord, revision: DeployRun | null): Start;
  /** The event of the deployment's lifecycle when the task starts; null if its state does not change. */
  startEvent: DeploymentEvent | null;

  /** The deployment after a task that is done. `isFollowed`: a task that deploys comes after it. */
  afterSuccess(deployment: DeploymentRecord, taskId: string, isFollowed: boolean): DeploymentRecord;
  /** Whether a run that had begun may be repeated when its claim ends without an outcome. */
  isRepeatable: boolean;
  /** How to retry a task that failed or was canceled, of a deployment that is not being deleted. */
  retry(old: Retryable, now: RetriedNow): Retry;
}

export interface Needs {
  /** An action of a chart: it decides who may request it, and which inputs fit. */
  action?: InvokedAction;
  /** A tracked Kubernetes object, which its owner is asked for before anything is locked. */
  object?: NamedObject;
}
export type InvokedAction = Extract<TaskOperation, { InvokeAction: unknown }>['InvokeAction'];
export type NamedObject = Extract<TaskOperation, { RestartK8sResource: unknown }>['RestartK8sResource'];

interface ChangeRequested {
  of(requested: RequestedOperation): DeploymentChanges;
  /** Its fields in the request. */
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
  /** Whether the chart wants dependents to be reinstalled after changes of the deployment. */
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
  /** New tasks for where releases are now, followed by the same run again, if given. */
  | { plan: readonly Variant[]; again?: NewTask & { run: DeployRun } };
