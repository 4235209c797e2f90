import { type KindScope, maintainer, owner, type Rule } from '@berth/shared/access/rules';
import { visibleEnvs } from '@berth/shared/access/visible-envs';
import type { HandlerContext } from '@berth/shared/bus/bus';
import type { DeploymentTask, deploymentTasks } from '@berth/shared/contracts/resources/deployment-tasks';
import type { DeploymentChanges } from '@berth/shared/contracts/resources/deployments';
import { found } from '@berth/shared/errors';
import { checkChart, findChart } from '../deployments/chart.ts';
import { checkConfig } from '../deployments/check-config.ts';
import { queueUninstallToDelete } from '../deployments/delete-deployment.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { DeploymentsDeps } from '../deployments/deployments-deps.ts';
import { differences } from '../engine/differences.ts';
import { operationPaths } from '../deployments/field-paths.ts';
import { refuseWhileUsed } from '../deployments/fit-changes.ts';
import { healPlan } from '../engine/heal-plan.ts';
import { plannedTasks } from '../engine/planned-tasks.ts';
import { conflict } from '../refuse.ts';
import type { WritingStore } from '../store.ts';
import { refreshReason } from '../engine/at-rest.ts';
import { permitOn } from './cancel-task.ts';
import { refuseWrongState } from './change-at-start.ts';
import { lockTask } from './lock-task.ts';
import type { Origin } from '../records/new-task.ts';
import { noLongerFits } from './no-longer-fits.ts';
import { originOf } from '../records/origin-of.ts';
import { last, queueChange, queueReinstall } from './queue-operation.ts';
import { queueTasks } from '../engine/queue-tasks.ts';
import { ruleOfChange } from './rule-of-change.ts';
import { publicTask, type TaskRecord } from '../records/task-record.ts';
import type { Told } from './told-reasons.ts';

type Context = HandlerContext<typeof deploymentTasks.operations.retry>;
type Deps = Pick<DeploymentsDeps, 'heldReaders' | 'reserved'>;

/** A new task of the same operation, due at once, with the checks of a new request (decision 6). */
export const retryTask =
  (deps: DeploymentsDeps & { told: Told }) =>
  async (id: string, context: Context): Promise<DeploymentTask> => {
    const task = await deps.inTransaction((store) =>
      store.once(context, async () => deps.told(store, publicTask(await request(deps, store, id, context)))),
    );
    deps.wakeRunners();
    return task;
  };

async function request(deps: Deps, store: WritingStore, id: string, context: Context): Promise<TaskRecord> {
  found(await store.tasks.find(id, visibleEnvs(context.identity)), 'deployment task');
  const { task: old, deployment } = found(await lockTask(store, id), 'deployment task');
  permitOn(context, old, deployment);
  if (old.status !== 'Failed' && old.status !== 'Canceled') throw conflict(`The task is ${old.status}`);
  if (!deployment) throw conflict('The deployment was deleted');

  context.permit(deployment, ruleOfRetry(old, deployment));
  const retried = await retry(deps, store, { old, deployment, origin: originOf(context) }).catch((error: unknown) => {
    throw noLongerFits(error);
  });
  await refreshReason(store, found(await store.deployments.lock(deployment.id), 'deployment'));
  await store.recordAudit({
    by: context,
    action: 'retry',
    resource: 'deployment_tasks',
    objectId: id,
    envId: old.env_id,
    details: { deployment_id: old.deployment_id, new_task_id: retried.id },
  });
  return retried;
}

/** As for a new request: whoever made the task may have lost the role since. */
function ruleOfRetry({ change, deletes_deployment }: TaskRecord, deployment: DeploymentRecord): Rule<KindScope> {
  if (change) return ruleOfChange(change, deployment);
  return deletes_deployment ? owner : maintainer;
}

interface Retry {
  old: TaskRecord;
  deployment: DeploymentRecord;
  origin: Origin;
}

async function retry(deps: Deps, store: WritingStore, { old, deployment, origin }: Retry): Promise<TaskRecord> {
  const { operation, change } = old;
  // A scheduled change that was never made is made now.
  if (change) return retryChange(deps, store, { old, deployment, origin }, change);
  if ('Reinstall' in operation) return queueReinstall(store, { deployment, origin }, operation.Reinstall.reason);
  if ('Uninstall' in operation) return retryUninstall(store, { old, deployment, origin });
  if ('Recreate' in operation) return retryRecreate(store, { old, deployment, origin });
  return retryDeploy(deps, store, { old, deployment, origin });
}

async function retryChange(deps: Deps, store: WritingStore, { old, ...retried }: Retry, changes: DeploymentChanges) {
  const { operation } = old;
  const variant = 'Install' in operation ? 'Install' : 'Uninstall' in operation ? 'Uninstall' : 'Upgrade';
  return queueChange(deps, store, { ...retried, visible: 'all' }, { variant, changes });
}

async function retryUninstall(store: WritingStore, { old, deployment, origin }: Retry): Promise<TaskRecord> {
  if (deployment.deleting) throw conflict('The deployment is being deleted');
  if (old.deletes_deployment) {
    await refuseWhileUsed(store, deployment, 'deleted');
    const after = await store.deploymentChanges.saveWanted({ ...deployment, deleting: true });
    return last(await queueUninstallToDelete(store, after, origin));
  }
  if (deployment.enabled) throw conflict('The deployment is enabled again');
  const planned = { before: deployment, after: deployment, kind: '', reinstallDependents: false };
  return last(await queueTasks(store, plannedTasks(['Uninstall'], planned), origin));
}

/** Together with the Upgrade that installs it at its new place. */
async function retryRecreate(store: WritingStore, { old, deployment, origin }: Retry): Promise<TaskRecord> {
  refuseWrongState('Recreate', deployment);
  const open = await store.tasks.open(deployment.id);
  const plan = healPlan(['Upgrade'], deployment, open);
  if (!plan.includes('Recreate')) {
    throw conflict('There is nothing left to move: rename or move the deployment again, or retry the Upgrade');
  }
  const kind = old.run?.kind ?? (await store.seen.kind(deployment.kind_id))?.name ?? '';
  const tasks = plannedTasks(plan, { before: deployment, after: deployment, kind, reinstallDependents: true });
  const [recreate] = await queueTasks(store, tasks, origin);
  return last(recreate ? [recreate] : []);
}

async function retryDeploy(deps: Deps, store: WritingStore, { old, deployment, origin }: Retry): Promise<TaskRecord> {
  const { run } = old;
  if (run?.action !== 'deploy') throw conflict('The task has nothing that could be run again');
  if (deployment.deleting) throw conflict('The deployment is being deleted');
  if (!deployment.enabled) throw conflict('The deployment is disabled');
  const others = differences(run, deployment);
  if (others.length > 0) {
    const words = `another ${others.join(', ')}`;
    throw conflict(`The deployment has changed since and wants ${words} than this task would bring back`);
  }
  const paths = operationPaths('Install' in old.operation ? 'Install' : 'Upgrade');
  const chart = await findChart(store.seen, run.helm_chart_id, paths);
  checkChart(chart, deployment.kind_id, paths);
  const { env_id: envId } = deployment;
  await checkConfig(deps.heldReaders(store), { form: chart.form, config: run.config, envId, at: paths.config });

  const { id: deployment_id, cluster_id, env_id } = deployment;
  const { operation, reinstall_dependents } = old;
  const again = { deployment_id, cluster_id, env_id, operation, run, reinstall_dependents };
  const open = await store.tasks.open(deployment_id);
  const before = healPlan(['Upgrade'], deployment, open).filter((step) => step === 'Recreate');
  const planned = { before: deployment, after: deployment, kind: run.kind, reinstallDependents: false };
  return last(await queueTasks(store, [...plannedTasks(before, planned), again], origin));
}
