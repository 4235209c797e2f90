import type { DeploymentRecord } from '../../src/records/deployment-record.ts';
import { afterClaim, helmAtEnd, type TaskEnds, type TaskWaits } from '../../src/engine/tasks/after-claim.ts';
import { undoAtStart } from '../../src/engine/tasks/goes-back-to.ts';
import { afterEnd, afterMoot, type Ending } from '../../src/engine/tasks/after-end.ts';
import { deploysBehind } from '../../src/engine/tasks/deploys-behind.ts';
import { startOf, whileRunning } from '../../src/engine/tasks/start-of.ts';
import type { DeployRun } from '../../src/records/task-run.ts';
import { variantOf } from '../../src/records/variant.ts';
import { supersedable } from '../../src/engine/tasks/superseded.ts';
import { beginsRun, runsLeft } from '../../src/engine/tasks/installed-runs.ts';
import { operations } from '../../src/engine/operations/index.ts';
import { whyMoot } from '../../src/engine/tasks/why-moot.ts';
import { earlierTasks } from '../support/earlier-tasks.ts';
import {
  afterCancel,
  leaving,
  type Queued,
  type Model,
  openTask,
  noteArrow,
  noteChange,
  wanted,
  planOf,
  rested,
  type Living,
  deleted,
  withOver,
  withTask,
  atPlaceBefore,
  startedTask,
  isLiving,
} from './model.ts';

/** Mutations replace these, to show that the simulation finds the faults. */
export const engine = { whileRunning, supersedable };

/** A runner claims a task without obstacles. */
export function claim(model: Living, task: Queued): Model | null {
  if (model.trouble.clusterGone || task.status !== 'Pending' || earlierTasks(task, model.queue).length > 0) return null;
  const { deployment: before, running } = model;
  const others = model.queue.filter(({ id }) => id !== task.id);
  const moot = whyMoot(task, before, model.queue.map(openTask));
  if (moot !== null) {
    const deployment = noteChange(before, afterMoot(before, task, moot));
    const runs = afterCancel(model.runs, [task]);
    return rested({ ...model, deployment, queue: others, over: withOver(model.over, [task]), runs });
  }

  const started = start(task, before, others, running);
  if (!started) return ended(model, { ...task, first_attempted_at: 'then' }, { outcome: 'Failed', reason: 'why' });
  const { run } = started.task;
  const isBegun = model.runs.some(({ id }) => id === task.id);
  const begins = run?.action === 'deploy' && beginsRun(task) && !isBegun;
  const runs = begins ? [...model.runs, { id: task.id, run }] : model.runs;
  return withTask({ ...model, deployment: started.deployment, runs }, started.task);
}

const isForeign = ({ trouble }: Model, { run }: Queued): boolean =>
  run !== null && trouble.foreign.includes(run.namespace);

/** Whether the surroundings prevent the success of the task. */
function isPrevented(model: Model, task: Queued): boolean {
  if (model.trouble.clusterGone) return true;
  if (task.run?.action === 'deploy') return isForeign(model, task);
  return model.trouble.vetoes && model.begun.length > 0 && !task.skips_hooks;
}

/** The runner of the started task reports that an irreversible step begins. */
export function begin(model: Living): Model | null {
  const task = startedTask(model);
  if (!task || task.helm_fence > 0 || task.cancel_requested_at !== null || isForeign(model, task)) return null;
  const { revision_id } = model.deployment;
  const repeats = 'Reinstall' in task.operation && revision_id !== null ? revision_id : task.id;
  const begun = task.run?.action === 'deploy' ? [...new Set([...model.begun, repeats])] : model.begun;
  return withTask({ ...model, begun }, { ...task, helm_fence: 1 });
}

/** The runner of the started task reports that Helm has ended and that it only awaits readiness. */
export function awaitReadiness(model: Living): Model | null {
  const task = startedTask(model);
  if (!task || task.helm_fence === 0 || task.awaits_readiness || task.run?.action !== 'deploy') return null;
  return withTask(model, { ...task, awaits_readiness: true });
}

/** A later task ends the started one, if it only awaits readiness. */
export function supersede(model: Living): Model {
  const task = model.queue.find(({ id }) => id === engine.supersedable(model.queue.map(openTask))?.id);
  return task ? ended(model, task, { outcome: 'Canceled', reason: 'why' }) : model;
}

type Reported = Ending['outcome'] | 'HandedBack';

const policy = { maxAttempts: 3, leaseMs: 30_000, spread: () => 0 };

const history = { attempts: 0, waited_ms: 0, forbidden_ms: 0, handed_back: 0 };

/** The runner of the started task reports its outcome; `HandedBack` returns it to its place in the queue. */
export function finish(model: Living, outcome: Reported): Model | null {
  const task = startedTask(model);
  if (!task || (outcome === 'Canceled' && task.cancel_requested_at === null)) return null;
  if (outcome === 'Done' && isPrevented(model, task)) return null;
  const isCanceled = task.cancel_requested_at !== null;
  const helm = helmAtEnd({ began: task.helm_fence > 0, awaits: task.awaits_readiness, saysEnded: false });
  const { isRepeatable } = operations[variantOf(task.operation)];
  return afterwards(model, task, afterClaim({ ...history, outcome, helm, isCanceled, isRepeatable }, policy));
}

/** Applies the decision about a task whose claim ended. */
export const afterwards = (model: Living, task: Queued, next: TaskEnds | TaskWaits): Model =>
  'ends' in next
    ? ended(model, task, { outcome: next.ends, reason: 'why' })
    : withTask(model, { ...task, status: 'Pending' });

/** Claims, begins and ends the first task with this outcome, without events in between. */
export function run(model: Living, outcome: Reported): Model | null {
  const [first] = model.queue;
  if (!first) return null;
  const claimed = startedTask(model) ? model : claim(model, first);
  if (!claimed || !isLiving(claimed) || !startedTask(claimed)) return claimed;
  const begun = begin(claimed) ?? claimed;
  return isLiving(begun) ? finish(begun, outcome) : null;
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
  const undo = task.run === null ? undoAtStart({ operation, undo: task.undo }, deployment) : task.undo;
  const as = {
    ...task,
    status: 'Started' as const,
    operation,
    run: begun.run,
    change: null,
    first_attempted_at,
    undo,
    awaits_readiness: false,
  };
  return { task: as, deployment: noteArrow(before, engine.whileRunning(deployment, as, begun.run)) };
}

function ended(model: Living, task: Queued, ending: Ending): Model {
  const { deployment, queue, running, over } = model;
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
  const runs = leaving(afterCancel(model.runs, canceled), runsLeft(task, outcome, deployment.revision_id));
  const begun = outcome === 'Done' ? whatSuccessLeaves(task, after) : model.begun;
  return rested({ ...model, deployment: after, queue: left, running: ran, over: again, runs, begun });
}

const whatSuccessLeaves = ({ run }: Queued, { revision_id }: DeploymentRecord): readonly string[] =>
  run?.action === 'deploy' && revision_id !== null ? [revision_id] : [];
