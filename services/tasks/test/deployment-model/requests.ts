import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import type { DeploymentRecord } from '../../src/records/deployment-record.ts';
import { whyNotAbandoned } from '../../src/engine/deployments/why-not-abandoned.ts';
import { planUpdate } from '../../src/engine/operations/plans.ts';
import { plannedTasks } from '../../src/engine/tasks/planned-tasks.ts';
import { afterCancelPending } from '../../src/engine/tasks/after-end.ts';
import { removesRelease, withoutHooks } from '../../src/engine/tasks/without-hooks.ts';
import { deploysBehind } from '../../src/engine/tasks/deploys-behind.ts';
import { type Variant, variantOf } from '../../src/records/variant.ts';
import { operations } from '../../src/engine/operations/index.ts';
import {
  afterCancel,
  type Queued,
  type Model,
  openTask,
  noteChange,
  queued,
  wanted,
  planOf,
  rested,
  type Living,
  deleted,
  withOver,
  withTask,
  atPlaceBefore,
  isLiving,
} from './model.ts';
import { supersede } from './claims.ts';

/** Each returns the new model, or null if the request is refused. */
export const change = (was: Living, changes: DeploymentChanges, supersedes = false): Model | null => {
  const { deployment: before, queue } = was;
  const after = wanted(before, changes);
  if (before.deleting || JSON.stringify(after) === JSON.stringify(before)) return null;
  if (after.name !== before.name && queue.some(({ operation }) => 'Recreate' in operation)) return null;
  const tasks = planOf(planUpdate(before, after), before, after, queue).map(queued);
  const model = { ...was, deployment: after, queue: [...queue, ...tasks] };
  const saved = before.reason === null ? model : rested(model);
  const stops = before.enabled && !after.enabled;
  return tasks.length > 0 && (stops || supersedes) && isLiving(saved) ? supersede(saved) : saved;
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

export const remove = (model: Living): Model | null => {
  const { deployment, queue, over } = model;
  if (deployment.deleting) return null;
  const pending = queue.filter(({ status }) => status === 'Pending');
  const started = queue.filter((task) => !pending.includes(task));
  if (deployment.installed_cluster_id === null && started.length === 0) return deleted;
  const covered = pending.reduce(
    (before, task) => afterCancelPending(before, openTask(task), started.map(openTask)),
    deployment,
  );
  const after = { ...noteChange(deployment, covered), deleting: true };
  return supersede({
    ...model,
    deployment: after,
    queue: [...started, uninstallToDelete(after)],
    over: withOver(over, pending),
    runs: afterCancel(model.runs, pending),
  });
};

function uninstallToDelete(deployment: DeploymentRecord, skips_hooks = false): Queued {
  const [uninstall] = planOf(['Uninstall'], deployment, deployment, []);
  if (!uninstall) throw new Error('an Uninstall is one task');
  return queued({ ...uninstall, deletes_deployment: true, skips_hooks });
}

/** A retry that ends a started task which only awaits readiness. */
export function retrySuperseding(model: Living, old: Queued): Model | null {
  const retried = retry(model, old);
  return retried && isLiving(retried) ? supersede(retried) : retried;
}

/** A new task of the same operation, with the checks of a new request. A release is removed without its hooks if requested. */
export function retry(model: Living, old: Queued, skipsHooks = false): Model | null {
  const { deployment, queue } = model;
  if (deployment.deleting) return null;
  const variant = variantOf(old.operation);
  if (old.change && !skipsHooks) return changeNow(model, variant, old.change);

  const now = { deployment, open: queue.map(openTask) };
  const retried = operations[variant].retry({ ...old, reinstall_dependents: false }, now);
  if ('refused' in retried) return null;
  if ('deletion' in retried) {
    const after = { ...deployment, deleting: true };
    return supersede({ ...model, deployment: after, queue: [...queue, uninstallToDelete(after, skipsHooks)] });
  }
  if (skipsHooks && !('plan' in retried && retried.plan.some(removesRelease))) return null;
  if ('request' in retried) return reinstall(model);
  const planned = { before: deployment, after: deployment, kind: 'Web', reinstallDependents: false };
  const all = [...plannedTasks(retried.plan, planned), ...(retried.again ? [retried.again] : [])];
  const tasks = skipsHooks ? all.map(withoutHooks) : all;
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

/** An owner leaves the release on its cluster, whatever its tasks do. */
export const abandon = ({ trouble }: Living): Model | null =>
  whyNotAbandoned({ ignore: trouble.clusterGone }) === null ? deleted : null;

/** A started task is requested to stop; its outcome ends it. */
export const cancel = (model: Living, task: Queued): Model | null => {
  const { deployment, queue } = model;
  if (task.status === 'Started') {
    if (task.cancel_requested_at !== null) return null;
    return withTask(model, { ...task, cancel_requested_at: 'then' });
  }
  const behind = 'Recreate' in task.operation ? deploysBehind(queue.map(openTask), task) : [];
  const isCanceled = ({ id }: Queued) => id === task.id || behind.includes(id);
  const others = queue.filter((other) => !isCanceled(other)).map(openTask);
  const after = noteChange(deployment, afterCancelPending(deployment, openTask(task), others));
  return rested({
    ...model,
    deployment: atPlaceBefore(after, task),
    queue: queue.filter((other) => !isCanceled(other)),
    over: withOver(model.over, queue.filter(isCanceled)),
    runs: afterCancel(model.runs, queue.filter(isCanceled)),
  });
};
