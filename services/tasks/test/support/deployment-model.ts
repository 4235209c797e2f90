import type { DeploymentChanges } from '@berth/shared/contracts/resources/deployments';
import type { DeploymentRecord } from '../../src/records/deployment-record.ts';
import { healPlan } from '../../src/engine/deployments/heal-plan.ts';
import { type PlannedOperation, planUpdate } from '../../src/engine/deployments/plan-update.ts';
import { plannedTasks } from '../../src/engine/tasks/planned-tasks.ts';
import { afterCancelPending, afterEnd, afterMoot, type Ending } from '../../src/engine/tasks/after-end.ts';
import { deploysBehind } from '../../src/engine/tasks/deploys-behind.ts';
import type { NewTask } from '../../src/records/new-task.ts';
import { restingReason } from '../../src/engine/deployments/resting-reason.ts';
import { startOf, whileRunning } from '../../src/engine/tasks/start-of.ts';
import type { TaskRecord } from '../../src/records/task-record.ts';
import type { OpenTask } from '../../src/records/open-task.ts';
import type { DeployRun } from '../../src/records/task-run.ts';
import { variantOf } from '../../src/records/variant.ts';
import { whyMoot } from '../../src/engine/tasks/why-moot.ts';

type Queued = Pick<
  TaskRecord,
  'id' | 'status' | 'operation' | 'run' | 'change' | 'undo' | 'deletes_deployment' | 'first_attempted_at'
>;

/** One deployment with its open tasks, as the engine's decisions see it: the effects around them are played in memory. */
export interface Model {
  /** Null once it is deleted. */
  deployment: DeploymentRecord | null;
  queue: readonly Queued[];
  /** What its revision ran. */
  running: DeployRun | null;
}

/** The columns that Postgres derives from a task. */
const openTask = (task: Queued): OpenTask => ({
  ...task,
  variant: variantOf(task.operation),
  deploys: task.run?.action === 'deploy',
  is_scheduled: task.change !== null,
});

/** The arrows of the lifecycle that were gone along, as `from --> to`. */
export const arrowsTaken = new Set<string>();

function noteArrow(before: DeploymentRecord, after: DeploymentRecord): DeploymentRecord {
  arrowsTaken.add(`${before.state} --> ${after.state}`);
  return after;
}

/** What may only leave the state as it is, which is no event of the lifecycle then. */
const noteChange = (before: DeploymentRecord, after: DeploymentRecord): DeploymentRecord =>
  before.state === after.state ? after : noteArrow(before, after);

let ids = 0;

const queued = ({ operation, run = null, change = null, undo = null, deletes_deployment = false }: NewTask): Queued => {
  ids += 1;
  const status = 'Pending' as const;
  return { id: `t${ids}`, status, operation, run, change, undo, deletes_deployment, first_attempted_at: null };
};

const wanted = (before: DeploymentRecord, changes: DeploymentChanges): DeploymentRecord => {
  const { name = before.name, enabled = before.enabled, config = before.config } = changes;
  return { ...before, name, enabled, config, namespace: name === before.name ? before.namespace : `web-${name}` };
};

const planOf = (
  plan: readonly PlannedOperation[],
  before: DeploymentRecord | null,
  after: DeploymentRecord,
  queue: Model['queue'],
) =>
  plannedTasks(healPlan(plan, after, queue.map(openTask)), { before, after, kind: 'Web', reinstallDependents: false });

const rested = ({ deployment, queue, running }: Model): Model => {
  if (!deployment) return { deployment, queue, running };
  const deploys = queue.findLast(({ run }) => run?.action === 'deploy')?.run ?? null;
  const outlook = {
    deploys: deploys?.action === 'deploy' ? deploys : null,
    uninstalls: queue.some(({ operation, change }) => 'Uninstall' in operation && change === null),
  };
  const known = deployment.revision_id === null ? null : running;
  return { deployment: { ...deployment, reason: restingReason(deployment, known, outlook) }, queue, running: known };
};

type Living = Model & { deployment: DeploymentRecord };

/** Each answers what becomes of the model, or null where a request would be refused. */
export const change = ({ deployment: before, queue, running }: Living, changes: DeploymentChanges): Model | null => {
  const after = wanted(before, changes);
  if (before.deleting || JSON.stringify(after) === JSON.stringify(before)) return null;
  if (after.name !== before.name && queue.some(({ operation }) => 'Recreate' in operation)) return null;
  const tasks = planOf(planUpdate(before, after), before, after, queue).map(queued);
  const model = { deployment: after, queue: [...queue, ...tasks], running };
  return before.reason === null ? model : rested(model);
};

export const schedule = (
  { deployment, queue, running }: Living,
  variant: 'Install' | 'Upgrade' | 'Uninstall',
  changes: DeploymentChanges,
): Model | null => {
  if (deployment.deleting) return null;
  const planned = { before: deployment, after: wanted(deployment, changes), kind: 'Web', reinstallDependents: false };
  const tasks = plannedTasks([variant], planned).map((task) => queued({ ...task, run: null, change: changes }));
  return { deployment, queue: [...queue, ...tasks], running };
};

export const reinstall = ({ deployment, queue, running }: Living): Model | null => {
  if (deployment.deleting || !deployment.enabled) return null;
  if (deployment.revision_id === null && queue.length === 0) return null;
  const { id: deployment_id, cluster_id, env_id } = deployment;
  const task = { deployment_id, cluster_id, env_id, operation: { Reinstall: { reason: 'why' } } };
  return { deployment, queue: [...queue, queued(task)], running };
};

export const remove = ({ deployment, queue, running }: Living): Model | null => {
  if (deployment.deleting) return null;
  if (deployment.installed_cluster_id === null) return { deployment: null, queue: [], running: null };
  const covered = queue.reduce((before, task) => afterCancelPending(before, openTask(task), false), deployment);
  const after = { ...noteChange(deployment, covered), deleting: true };
  const [uninstall] = planOf(['Uninstall'], after, after, []);
  return { deployment: after, queue: uninstall ? [queued({ ...uninstall, deletes_deployment: true })] : [], running };
};

export const cancel = ({ deployment, queue, running }: Living, task: Queued): Model => {
  const behind = 'Recreate' in task.operation ? deploysBehind(queue.map(openTask), task) : [];
  const isUndone = task.undo !== null && task.first_attempted_at === null;
  const after = noteChange(deployment, afterCancelPending(deployment, openTask(task), false));
  return rested({
    deployment: isUndone ? { ...after, ...task.undo } : after,
    queue: queue.filter(({ id }) => id !== task.id && !behind.includes(id)),
    running,
  });
};

/** The first task is claimed and ends so; `HandedBack`: it goes back to its place in the queue. */
export function run(model: Living, outcome: Ending['outcome'] | 'HandedBack'): Model | null {
  const [task, ...others] = model.queue;
  if (!task) return null;
  const { deployment: before, running } = model;
  const moot = whyMoot(task, before);
  if (moot !== null)
    return rested({ deployment: noteChange(before, afterMoot(before, task, moot)), queue: others, running });

  const started = start(task, before, others, running);
  if (!started) return ended(model, { ...task, first_attempted_at: 'then' }, { outcome: 'Failed', reason: 'why' });
  const { deployment } = started;
  if (outcome !== 'HandedBack') return ended({ ...model, deployment }, started.task, { outcome, reason: 'why' });
  return { deployment, queue: [started.task, ...others], running };
}

function start(task: Queued, before: DeploymentRecord, others: Model['queue'], running: DeployRun | null) {
  const variant = variantOf(task.operation);
  const deployment = task.change ? wanted(before, task.change) : before;
  const isMade = task.change && (variant === 'Install' || variant === 'Upgrade');
  const made = isMade ? planOf([variant], before, deployment, others) : [];
  if (made.length > 1) return null;
  const operation = made[0]?.operation ?? task.operation;
  const begun = startOf({ operation, run: made[0]?.run ?? task.run }, deployment, running);
  if ('impossible' in begun) return null;

  const first_attempted_at = 'then';
  const as = { ...task, operation, run: begun.run, change: null, first_attempted_at };
  return { task: as, deployment: noteArrow(before, whileRunning(deployment, as, begun.run)) };
}

function ended({ deployment, queue, running }: Living, task: Queued, ending: Ending): Model {
  const { outcome } = ending;
  const others = queue.filter(({ id }) => id !== task.id);
  if (outcome === 'Done' && task.deletes_deployment) return { deployment: null, queue: [], running: null };

  const behind = 'Recreate' in task.operation ? deploysBehind(others.map(openTask), task) : [];
  const left = outcome === 'Done' ? others : others.filter(({ id }) => !behind.includes(id));
  const after = noteArrow(deployment, afterEnd(deployment, task, ending, outcome === 'Done' && behind.length > 0));
  const ran = outcome === 'Done' && task.run?.action === 'deploy' ? task.run : running;
  return rested({ deployment: after, queue: left, running: ran });
}
