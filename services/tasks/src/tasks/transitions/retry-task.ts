import { owner } from '@berth/contracts/access/rules';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type DeploymentTask, deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { runAction } from '@berth/db/changes/run-action';
import { found } from '@berth/contracts/errors';
import { checkChart, findChart } from '../../deployments/chart.ts';
import { checkConfig } from '../../deployments/check-config.ts';
import { queueDeletion } from '../../deployments/delete-deployment.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { DeploymentsDeps } from '../../deployments/deployments-deps.ts';
import { refuseWithDependents } from '../../deployments/fit-changes.ts';
import { plannedTasks } from '../../engine/tasks/planned-tasks.ts';
import { conflict } from '../../errors/refuse.ts';
import type { WritingStore } from '../../store/store.ts';
import { refreshReason } from '../../queue/at-rest.ts';
import { scopeOfTask } from './scope-of-task.ts';
import { refuseDeleted } from './refuse-wrong-state.ts';
import { lockTask } from '../../queue/lock-task.ts';
import type { Origin } from '../../records/new-task.ts';
import { noLongerFits } from './no-longer-fits.ts';
import { originOf } from '../../records/origin-of.ts';
import { queueChange, queueOperation } from './queue-operation.ts';
import { isRetriable } from '../../engine/deployments/lifecycle.ts';
import { operations, pathsOf } from '../../engine/operations/index.ts';
import { lastOf, queueTasks } from '../../queue/queue-tasks.ts';
import { type Variant, variantOf } from '../../records/variant.ts';
import type { DeployRun } from '../../records/task-run.ts';
import { ruleOfOperation } from './rule-of-operation.ts';
import { publicTask, type TaskRecord } from '../../records/task-record.ts';
import type { WaitReasons } from '../../queue/wait-reasons.ts';

type Context = HandlerContext<typeof deploymentTasks.operations.retry>;
type Deps = Pick<DeploymentsDeps, 'heldReaders' | 'reserved'>;

/** A new task of the same operation, due at once, with the checks of a new request (Specification, "Retry"). */
export const retryTask =
  (deps: DeploymentsDeps & { waitReasons: WaitReasons }) =>
  async (id: string, context: Context): Promise<DeploymentTask> => {
    const task = await runAction(deps.inTransaction, context, deploymentTasks, {
      lock: (store) => lockToRetry(store, id, context),
      scope: ({ old, deployment, needsOwner }) => {
        const { change, deletes_deployment: deletes } = old;
        return { ...scopeOfTask(old, deployment), retried: { deployment, change, deletes, needsOwner } };
      },
      run: (store, target) => request(deps, store, target, context),
      audited: (retried, { old: { env_id, deployment_id } }) => ({
        action: 'retry',
        objectId: id,
        envId: env_id,
        details: { deployment_id, new_task_id: retried.id },
      }),
      answer: (retried, store) => deps.waitReasons.addTo(store, publicTask(retried)),
    });
    deps.notifyRunners();
    return task;
  };

interface Target {
  old: TaskRecord;
  deployment: DeploymentRecord | null;
  needsOwner: boolean;
}

async function lockToRetry(store: WritingStore, id: string, context: Context): Promise<Target | null> {
  const isVisible = (await store.tasks.find(id, visibleEnvs(context.identity))) !== null;
  const locked = isVisible ? await lockTask(store, id) : null;
  if (!locked) return null;
  const { task: old, deployment } = locked;
  const rule = deployment && (await ruleOfOperation(store.projected, old, deployment));
  return { old, deployment, needsOwner: rule === owner };
}

async function request(
  deps: Deps,
  store: WritingStore,
  { old, deployment }: Target,
  context: Context,
): Promise<TaskRecord> {
  if (!isRetriable(old.status)) throw conflict(`The task is ${old.status}`);
  if (!deployment) throw conflict('The deployment was deleted');

  const retried = await retry(deps, store, { old, deployment, origin: originOf(context) }).catch((error: unknown) => {
    throw noLongerFits(error);
  });
  await refreshReason(store, found(await store.deployments.lock(deployment.id), 'deployment'));
  return retried;
}

interface Retry {
  old: TaskRecord;
  deployment: DeploymentRecord;
  origin: Origin;
}

async function retry(deps: Deps, store: WritingStore, { old, deployment, origin }: Retry): Promise<TaskRecord> {
  refuseDeleted(deployment);
  const variant = variantOf(old.operation);
  const requested = { deployment, visible: 'all', origin } as const;
  // The retry of a scheduled change that was never made makes it now.
  if (old.change) return queueChange(deps, store, requested, { variant, changes: old.change });

  const now = { deployment, open: await store.tasks.open(deployment.id) };
  const retried = operations[variant].retry(old, now);
  if ('refused' in retried) throw conflict(retried.refused);
  const object = old.run?.action === 'restart' ? old.run.object : undefined;
  if ('request' in retried) return queueOperation(deps, store, { ...requested, operation: retried.request, object });
  if ('deletion' in retried) return deleteAgain(store, deployment, origin);

  const { plan, again } = retried;
  if (again) await checkRun(deps, store, { variant, run: again.run, deployment });
  const kind = await store.projected.kind(deployment.kind_id);
  const planned = { before: deployment, after: deployment, kind: kind?.name ?? '', reinstallDependents: true };
  const tasks = [...plannedTasks(plan, planned), ...(again ? [again] : [])];
  const queued = await queueTasks(store, tasks, origin);
  const task = queued.find(({ operation }) => variantOf(operation) === variant);
  if (!task) throw new Error('A retry queued no task of its operation');
  return task;
}

async function deleteAgain(store: WritingStore, deployment: DeploymentRecord, origin: Origin): Promise<TaskRecord> {
  await refuseWithDependents(store, deployment, 'deleted');
  const after = await store.deploymentChanges.saveWanted({ ...deployment, deleting: true });
  return lastOf(await queueDeletion(store, after, origin));
}

interface RunAgain {
  variant: Variant;
  run: DeployRun;
  deployment: DeploymentRecord;
}

async function checkRun(deps: Deps, store: WritingStore, { variant, run, deployment }: RunAgain): Promise<void> {
  const paths = pathsOf(variant);
  const chart = await findChart(store.projected, run.helm_chart_id, paths);
  checkChart(chart, deployment.kind_id, paths);
  const wanted = { form: chart.form, config: run.config, envId: deployment.env_id, at: paths.config };
  await checkConfig(deps.heldReaders(store), wanted);
}
