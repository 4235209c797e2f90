import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import type { DeploymentRecord } from '../../src/records/deployment-record.ts';
import { healPlan } from '../../src/engine/operations/heal-plan.ts';
import { planUpdate } from '../../src/engine/operations/plans.ts';
import { after } from '../../src/engine/deployments/lifecycle.ts';
import { plannedTasks } from '../../src/engine/tasks/planned-tasks.ts';
import { afterClaim, type TaskEnds, type TaskWaits } from '../../src/engine/tasks/after-claim.ts';
import { goesBackTo, undoAtStart } from '../../src/engine/tasks/goes-back-to.ts';
import { afterCancelPending, afterEnd, afterMoot, type Ending } from '../../src/engine/tasks/after-end.ts';
import { deploysBehind } from '../../src/engine/tasks/deploys-behind.ts';
import type { NewTask } from '../../src/records/new-task.ts';
import { restingReason } from '../../src/engine/deployments/resting-reason.ts';
import { startOf, whileRunning } from '../../src/engine/tasks/start-of.ts';
import type { TaskRecord } from '../../src/records/task-record.ts';
import type { OpenTask } from '../../src/records/open-task.ts';
import type { DeployRun } from '../../src/records/task-run.ts';
import { type Variant, variantOf } from '../../src/records/variant.ts';
import { differences } from '../../src/engine/deployments/differences.ts';
import { operations } from '../../src/engine/operations/index.ts';
import { whyMoot } from '../../src/engine/tasks/why-moot.ts';
import { earlierTasks } from './earlier-tasks.ts';

export type Queued = Pick<
  TaskRecord,
  | 'id'
  | 'status'
  | 'operation'
  | 'run'
  | 'change'
  | 'undo'
  | 'deletes_deployment'
  | 'first_attempted_at'
  | 'helm_fence'
  | 'cancel_requested_at'
>;

/** One deployment with its open tasks, driven by the engine's decisions; effects happen in memory. */
export interface Model {
  /** Null once it is deleted. */
  deployment: DeploymentRecord | null;
  queue: readonly Queued[];
  /** The run of its revision. */
  running: DeployRun | null;
  /** Tasks that failed or were canceled, the newest last: they may be retried. */
  over: readonly Queued[];
}

/** The columns that Postgres derives from a task. */
const openTask = (task: Queued): OpenTask => ({
  ...task,
  variant: variantOf(task.operation),
  effect: operations[variantOf(task.operation)].effect,
  deploys: task.run?.action === 'deploy',
  is_scheduled: task.change !== null,
});

/** Mutations replace it to show that the simulation finds the fault. */
export const engine = { whileRunning };

/** The arrows of the lifecycle that were gone along, as `from --> to`. */
export const arrowsTaken = new Set<string>();

function noteArrow(before: DeploymentRecord, after: DeploymentRecord): DeploymentRecord {
  arrowsTaken.add(`${before.state} --> ${after.state}`);
  return after;
}

/** Changes that may keep the state, which is then not an event of the lifecycle. */
const noteChange = (before: DeploymentRecord, after: DeploymentRecord): DeploymentRecord =>
  before.state === after.state ? after : noteArrow(before, after);

let ids = 0;

const queued = ({ operation, run = null, change = null, undo = null, deletes_deployment = false }: NewTask): Queued => {
  ids += 1;
  const status = 'Pending' as const;
  const unclaimed = { first_attempted_at: null, helm_fence: 0, cancel_requested_at: null };
  return { id: `t${ids}`, status, operation, run, change, undo, deletes_deployment, ...unclaimed };
};

const wanted = (before: DeploymentRecord, changes: DeploymentChanges): DeploymentRecord => {
  const { name = before.name, enabled = before.enabled, config = before.config } = changes;
  return { ...before, name, enabled, config, namespace: name === before.name ? before.namespace : `web-${name}` };
};

const planOf = (
  plan: readonly Variant[],
  before: DeploymentRecord | null,
  after: DeploymentRecord,
  queue: Model['queue'],
) =>
  plannedTasks(healPlan(plan, after, queue.map(openTask)), { before, after, kind: 'Web', reinstallDependents: false });

const rested = (model: Model): Model => {
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

export type Living = Model & { deployment: DeploymentRecord };

/** Each returns the new model, or null if the request is refused. */
export const change = (was: Living, changes: DeploymentChanges): Model | null => {
  const { deployment: before, queue } = was;
  const after = wanted(before, changes);
  if (before.deleting || JSON.stringify(after) === JSON.stringify(before)) return null;
  if (after.name !== before.name && queue.some(({ operation }) => 'Recreate' in operation)) return null;
  const tasks = planOf(planUpdate(before, after), before, after, queue).map(queued);
  const model = { ...was, deployment: after, queue: [...queue, ...tasks] };
  return before.reason === null ? model : rested(model);
};

export const schedule = (
  model: Living,
  variant: 'Install' | 'Upgrade' | 'Uninstall',
  changes: DeploymentChanges,
): Model | null => {
  const { deployment, queue } = model;
  if (deployment.deleting) return null;
  const planned = { before: deployment, after: wanted(deployment, changes), kind: 'Web', reinstallDependents: false };
  const tasks = plannedTasks([variant], planned).map((task) => queued({ ...task, run: null, change: changes }));
  return { ...model, queue: [...queue, ...tasks] };
};

export const reinstall = (model: Living): Model | null => {
  const { deployment, queue } = model;
  if (deployment.deleting || !deployment.enabled) return null;
  if (deployment.revision_id === null && queue.length === 0) return null;
  const { id: deployment_id, cluster_id, env_id } = deployment;
  const task = { deployment_id, cluster_id, env_id, operation: { Reinstall: { reason: 'why' } } };
  return { ...model, queue: [...queue, queued(task)] };
};

const deleted: Model = { deployment: null, queue: [], running: null, over: [] };

export const remove = ({ deployment, queue, running, over }: Living): Model | null => {
  if (deployment.deleting) return null;
  const pending = queue.filter(({ status }) => status === 'Pending');
  const started = queue.filter((task) => !pending.includes(task));
  if (deployment.installed_cluster_id === null && started.length === 0) return deleted;
  const covered = pending.reduce((before, task) => afterCancelPending(before, openTask(task), started), deployment);
  const after = { ...noteChange(deployment, covered), deleting: true };
  return { deployment: after, queue: [...started, uninstallToDelete(after)], running, over: withOver(over, pending) };
};

function uninstallToDelete(deployment: DeploymentRecord): Queued {
  const [uninstall] = planOf(['Uninstall'], deployment, deployment, []);
  if (!uninstall) throw new Error('an Uninstall is one task');
  return queued({ ...uninstall, deletes_deployment: true });
}

/** Tasks of the same content are retried alike, so one of them is kept. */
const withOver = (over: Model['over'], ended: Model['queue']): Model['over'] => {
  const content = ({ operation, run, change, deletes_deployment }: Queued) =>
    JSON.stringify([operation, run, change, deletes_deployment]);
  return [...new Map([...over, ...ended].map((task) => [content(task), task])).values()];
};

/** A new task of the same operation, with the checks of a new request. */
export function retry(model: Living, old: Queued): Model | null {
  const { deployment, queue } = model;
  if (deployment.deleting) return null;
  const variant = variantOf(old.operation);
  if (old.change) return changeNow(model, variant, old.change);

  const now = { deployment, open: queue.map(openTask) };
  const retried = operations[variant].retry({ ...old, reinstall_dependents: false }, now);
  if ('refused' in retried) return null;
  if ('request' in retried) return reinstall(model);
  if ('deletion' in retried) {
    const after = { ...deployment, deleting: true };
    return { ...model, deployment: after, queue: [...queue, uninstallToDelete(after)] };
  }
  const planned = { before: deployment, after: deployment, kind: 'Web', reinstallDependents: false };
  const tasks = [...plannedTasks(retried.plan, planned), ...(retried.again ? [retried.again] : [])];
  return rested({ ...model, queue: [...queue, ...tasks.map(queued)] });
}

/** A scheduled change that was never made is made at once. */
function changeNow(model: Living, variant: Variant, changes: DeploymentChanges): Model | null {
  const { deployment: before, queue } = model;
  if (operations[variant].refusal(before, true) !== null) return null;
  const after = wanted(before, changes);
  const tasks = planOf([variant], before, after, queue).map(queued);
  return rested({ ...model, deployment: after, queue: [...queue, ...tasks] });
}

const namespaceLost = 'The namespace is gone';

export const loseNamespace = (model: Living): Model | null => {
  const { deployment } = model;
  if (deployment.state !== 'Running' || deployment.deleting) return null;
  return { ...model, deployment: noteArrow(deployment, after(deployment, 'namespace lost', namespaceLost)) };
};

/** After all of its tasks were successful. */
function drained(model: Model): Model {
  let left = model;
  for (let n = 0; n < 50 && left.deployment && left.queue.length > 0; n += 1) {
    left = run({ ...left, deployment: left.deployment }, 'Done') ?? left;
  }
  return left;
}

const isAsWanted = ({ deployment, running }: Model): boolean => {
  if (!deployment) return true;
  if (!deployment.enabled) return deployment.installed_namespace === null;
  return deployment.state === 'Running' && running !== null && differences(running, deployment).length === 0;
};

/** Whether successful retries lead to the wanted state. */
export function isReachedByRetries(model: Model, retries = 3): boolean {
  const then = drained(model);
  const { deployment } = then;
  if (isAsWanted(then) || !deployment) return true;
  // Without a failed task to retry, a Reinstall recreates the namespace.
  const again = deployment.reason === namespaceLost ? reinstall({ ...then, deployment }) : null;
  if (again && isReachedByRetries(again, retries)) return true;
  if (retries === 0) return false;
  return then.over.toReversed().some((task) => {
    const retried = retry({ ...then, deployment }, task);
    return retried !== null && isReachedByRetries(retried, retries - 1);
  });
}

/** The runner of a started one is requested to stop; its outcome ends it. */
export const cancel = (model: Living, task: Queued): Model | null => {
  const { deployment, queue } = model;
  if (task.status === 'Started') {
    if (task.cancel_requested_at !== null) return null;
    return withTask(model, { ...task, cancel_requested_at: 'then' });
  }
  const behind = 'Recreate' in task.operation ? deploysBehind(queue.map(openTask), task) : [];
  const others = queue.filter(({ id }) => id !== task.id);
  const after = noteChange(deployment, afterCancelPending(deployment, openTask(task), others));
  const isCanceled = ({ id }: Queued) => id === task.id || behind.includes(id);
  return rested({
    ...model,
    deployment: atPlaceBefore(after, task),
    queue: queue.filter((other) => !isCanceled(other)),
    over: withOver(model.over, queue.filter(isCanceled)),
  });
};

const withTask = (model: Living, task: Queued): Model => ({
  ...model,
  queue: model.queue.map((other) => (other.id === task.id ? task : other)),
});

const atPlaceBefore = (deployment: DeploymentRecord, task: Queued): DeploymentRecord => {
  const back = goesBackTo(task);
  if (back === null || deployment.deleting) return deployment;
  const { name, cluster_id, env_id, namespace } = back;
  return { ...deployment, name, cluster_id, env_id, namespace };
};

export const startedTask = ({ queue }: Model): Queued | undefined => queue.find(({ status }) => status === 'Started');

/** A runner claims a task without obstacles. */
export function claim(model: Living, task: Queued): Model | null {
  if (task.status !== 'Pending' || earlierTasks(task, model.queue).length > 0) return null;
  const { deployment: before, running } = model;
  const others = model.queue.filter(({ id }) => id !== task.id);
  const moot = whyMoot(task, before, model.queue.map(openTask));
  if (moot !== null) {
    const deployment = noteChange(before, afterMoot(before, task, moot));
    return rested({ ...model, deployment, queue: others, over: withOver(model.over, [task]) });
  }

  const started = start(task, before, others, running);
  if (!started) return ended(model, { ...task, first_attempted_at: 'then' }, { outcome: 'Failed', reason: 'why' });
  return withTask({ ...model, deployment: started.deployment }, started.task);
}

/** The runner of the started task reports that it begins an irreversible step. */
export function begin(model: Living): Model | null {
  const task = startedTask(model);
  if (!task || task.helm_fence > 0 || task.cancel_requested_at !== null) return null;
  return withTask(model, { ...task, helm_fence: 1 });
}

export type Reported = Ending['outcome'] | 'HandedBack';

const policy = { maxAttempts: 3, leaseMs: 30_000, spread: () => 0 };
const history = { attempts: 0, waited_ms: 0, forbidden_ms: 0, handed_back: 0 };

/** The runner of the started task reports its outcome; `HandedBack`: it goes back to its place in the queue. */
export function finish(model: Living, outcome: Reported): Model | null {
  const task = startedTask(model);
  if (!task || (outcome === 'Canceled' && task.cancel_requested_at === null)) return null;
  const isCanceled = task.cancel_requested_at !== null;
  const helmBegan = task.helm_fence > 0;
  const { isRepeatable } = operations[variantOf(task.operation)];
  return afterwards(model, task, afterClaim({ ...history, outcome, helmBegan, isCanceled, isRepeatable }, policy));
}

/** The task's claim ended with this decision. */
export const afterwards = (model: Living, task: Queued, next: TaskEnds | TaskWaits): Model =>
  'ends' in next
    ? ended(model, task, { outcome: next.ends, reason: 'why' })
    : withTask(model, { ...task, status: 'Pending' });

/** Claims, begins and ends the first task with this outcome, without other events in between. */
export function run(model: Living, outcome: Reported): Model | null {
  const [first] = model.queue;
  if (!first) return null;
  const claimed = startedTask(model) ? model : claim(model, first);
  if (!claimed || !isLiving(claimed) || !startedTask(claimed)) return claimed;
  const begun = begin(claimed) ?? claimed;
  return isLiving(begun) ? finish(begun, outcome) : null;
}

export const isLiving = (model: Model): model is Living => model.deployment !== null;

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
  const undo = task.run === null ? undoAtStart({ operation, undo: task.undo }, deployment) : task.undo;
  const as = { ...task, status: 'Started' as const, operation, run: begun.run, change: null, first_attempted_at, undo };
  return { task: as, deployment: noteArrow(before, engine.whileRunning(deployment, as, begun.run)) };
}

function ended({ deployment, queue, running, over }: Living, task: Queued, ending: Ending): Model {
  const { outcome } = ending;
  const others = queue.filter(({ id }) => id !== task.id);
  if (outcome === 'Done' && task.deletes_deployment) return deleted;

  const behind = 'Recreate' in task.operation ? deploysBehind(others.map(openTask), task) : [];
  const left = outcome === 'Done' ? others : others.filter(({ id }) => !behind.includes(id));
  const here = outcome === 'Canceled' ? atPlaceBefore(deployment, task) : deployment;
  const after = noteArrow(deployment, afterEnd(here, task, ending, outcome === 'Done' && behind.length > 0));
  const ran = outcome === 'Done' && task.run?.action === 'deploy' ? task.run : running;
  const canceled = others.filter((other) => !left.includes(other));
  const again = outcome === 'Done' ? over : withOver(over, [...canceled, task]);
  return rested({ deployment: after, queue: left, running: ran, over: again });
}
