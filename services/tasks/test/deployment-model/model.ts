import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import type { DeploymentRecord } from '../../src/records/deployment-record.ts';
import { type RunsLeft, runsLeft } from '../../src/engine/tasks/installed-runs.ts';
import { healPlan } from '../../src/engine/operations/heal-plan.ts';
import { plannedTasks } from '../../src/engine/tasks/planned-tasks.ts';
import { goesBackTo } from '../../src/engine/tasks/goes-back-to.ts';
import type { NewTask } from '../../src/records/new-task.ts';
import { restingReason } from '../../src/engine/deployments/resting-reason.ts';
import type { TaskRecord } from '../../src/records/task-record.ts';
import type { OpenTask } from '../../src/records/open-task.ts';
import type { DeployRun } from '../../src/records/task-run.ts';
import { type Variant, variantOf } from '../../src/records/variant.ts';
import { operations } from '../../src/engine/operations/index.ts';

export type Queued = Pick<
  TaskRecord,
  | 'id'
  | 'status'
  | 'operation'
  | 'run'
  | 'change'
  | 'undo'
  | 'deletes_deployment'
  | 'skips_hooks'
  | 'first_attempted_at'
  | 'helm_fence'
  | 'cancel_requested_at'
  | 'awaits_readiness'
>;

/** One deployment with its open tasks, driven by the engine's decisions; effects are in memory. */
export interface Model {
  /** Null once it is deleted. */
  deployment: DeploymentRecord | null;
  queue: readonly Queued[];
  /** The run of its revision. */
  running: DeployRun | null;
  /** Failed and canceled tasks, newest last; they may be retried. */
  over: readonly Queued[];
  /** What the engine says may be installed: the runs with their tasks. */
  runs: readonly InstalledRun[];
  /** What may be in the cluster, kept without the engine: the tasks whose Helm began, since a success or removal. */
  begun: readonly string[];
  /** Faults of its surroundings that last. */
  trouble: Trouble;
}

interface InstalledRun {
  id: string;
  run: DeployRun;
}

export interface Trouble {
  /** Namespaces of somebody else: no deploy can succeed in them, and Helm never begins there. */
  foreign: readonly string[];
  /** A hook fails each time that the release is to be removed. */
  vetoes: boolean;
  /** Its cluster no longer exists, and is ignored: no task starts or succeeds. */
  clusterGone: boolean;
}

export const noTrouble: Trouble = { foreign: [], vetoes: false, clusterGone: false };

export type Living = Model & { deployment: DeploymentRecord };

export const isLiving = (model: Model): model is Living => model.deployment !== null;

export const startedTask = ({ queue }: Model): Queued | undefined => queue.find(({ status }) => status === 'Started');

/** The columns that Postgres derives from a task. */
export const openTask = (task: Queued): OpenTask => ({
  ...task,
  variant: variantOf(task.operation),
  effect: operations[variantOf(task.operation)].effect,
  deploys: task.run?.action === 'deploy',
  is_scheduled: task.change !== null,
});

/** The arrows of the lifecycle that were followed, as `from --> to`. */
export const arrowsTaken = new Set<string>();

export function noteArrow(before: DeploymentRecord, after: DeploymentRecord): DeploymentRecord {
  arrowsTaken.add(`${before.state} --> ${after.state}`);
  return after;
}

/** Changes that may keep the state; in that case they are not events of the lifecycle. */
export const noteChange = (before: DeploymentRecord, after: DeploymentRecord): DeploymentRecord =>
  before.state === after.state ? after : noteArrow(before, after);

let ids = 0;

export const queued = ({
  operation,
  run = null,
  change = null,
  undo = null,
  deletes_deployment = false,
  skips_hooks = false,
}: NewTask): Queued => {
  ids += 1;
  const status = 'Pending' as const;
  const unclaimed = { first_attempted_at: null, helm_fence: 0, cancel_requested_at: null, awaits_readiness: false };
  return { id: `t${ids}`, status, operation, run, change, undo, deletes_deployment, skips_hooks, ...unclaimed };
};

export const wanted = (before: DeploymentRecord, changes: DeploymentChanges): DeploymentRecord => {
  const { name = before.name, enabled = before.enabled, config = before.config } = changes;
  return { ...before, name, enabled, config, namespace: name === before.name ? before.namespace : `web-${name}` };
};

export const planOf = (
  plan: readonly Variant[],
  before: DeploymentRecord | null,
  after: DeploymentRecord,
  queue: Model['queue'],
) =>
  plannedTasks(healPlan(plan, after, queue.map(openTask)), { before, after, kind: 'Web', reinstallDependents: false });

export const rested = (model: Model): Model => {
  const { deployment, queue, running } = model;
  if (!deployment) return model;
  const deploys = queue.findLast(({ run }) => run?.action === 'deploy')?.run ?? null;
  const outlook = {
    deploys: deploys?.action === 'deploy' ? deploys : null,
    uninstalls: queue.some(({ operation, change }) => 'Uninstall' in operation && change === null),
  };
  const known = deployment.revision_id === null ? null : running;
  return { ...model, deployment: { ...deployment, reason: restingReason(deployment, known, outlook) }, running: known };
};

/** Tasks with the same content are retried alike, so only one of them is kept. */
export const withOver = (over: Model['over'], ended: Model['queue']): Model['over'] => {
  const content = ({ operation, run, change, deletes_deployment, skips_hooks }: Queued) =>
    JSON.stringify([operation, run, change, deletes_deployment, skips_hooks]);
  return [...new Map([...over, ...ended].map((task) => [content(task), task])).values()];
};

/** The runs without those of canceled tasks whose Helm never began: an earlier claim may have ended before that. */
export const afterCancel = (runs: Model['runs'], canceled: Model['queue']): Model['runs'] =>
  canceled.reduce((left, task) => leaving(left, runsLeft(task, 'Canceled', null)), runs);

export const leaving = (runs: Model['runs'], left: RunsLeft): Model['runs'] => {
  if (left === 'all') return runs;
  return runs.filter(({ id }) => ('without' in left ? id !== left.without : id === left.only));
};

export const withTask = (model: Living, task: Queued): Model => ({
  ...model,
  queue: model.queue.map((other) => (other.id === task.id ? task : other)),
});

export const atPlaceBefore = (deployment: DeploymentRecord, task: Queued): DeploymentRecord => {
  const back = goesBackTo(task);
  if (back === null || deployment.deleting) return deployment;
  const { name, cluster_id, env_id, namespace } = back;
  return { ...deployment, name, cluster_id, env_id, namespace };
};

export const deleted: Model = {
  deployment: null,
  queue: [],
  running: null,
  over: [],
  runs: [],
  begun: [],
  trouble: noTrouble,
};
