import { Bug } from '@berth/contracts/errors';
import { checkChart, findChart } from '../../deployments/chart.ts';
import { checkConfig } from '../../deployments/check-config.ts';
import { queueDeletion } from '../../deployments/delete-deployment.ts';
import { refuseWithDependents } from '../../deployments/fit-changes.ts';
import type { ProposeDeps } from '../../deployments/propose-change.ts';
import { stillAdopting } from '../../queue/still-adopting.ts';
import { operations, pathsOf } from '../../engine/operations/index.ts';
import { removesRelease, withoutHooks } from '../../engine/tasks/without-hooks.ts';
import { plannedTasks } from '../../engine/tasks/planned-tasks.ts';
import { conflict, refuseDeleted, unfit } from '../../errors/refuse.ts';
import { lastOf, queueTasks } from '../../queue/queue-tasks.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { Origin } from '../../records/new-task.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { DeployRun } from '../../records/task-run.ts';
import { type Variant, variantOf } from '../../records/variant.ts';
import type { WritingStore } from '../../store/store.ts';
import { type QueueDeps, queueChange, queueOperation } from './queue-operation.ts';

interface Retry {
  old: TaskRecord;
  deployment: DeploymentRecord;
  /** The release is removed without its hooks. */
  skipsHooks: boolean;
  origin: Origin;
}

/** Queues the tasks of a retry; throws 422 or 409 if they no longer fit. The caller holds the lock of the deployment. */
export async function queueRetry(
  deps: QueueDeps,
  store: WritingStore,
  { old, deployment, skipsHooks, origin }: Retry,
): Promise<TaskRecord> {
  refuseDeleted(deployment);
  const variant = variantOf(old.operation);
  const requested = { deployment, visible: 'all', origin } as const;
  // Retrying a scheduled change that was never made makes it now.
  if (old.change && !skipsHooks) return queueChange(deps, store, requested, { variant, changes: old.change });

  const retried = operations[variant].retry(old, { deployment, open: await store.tasks.open(deployment.id) });
  if ('refused' in retried) throw conflict(retried.refused);
  const object = old.run?.action === 'restart' ? old.run.object : undefined;
  if ('deletion' in retried) return deleteAgain(store, deployment, { skipsHooks, origin });
  if (skipsHooks && !('plan' in retried && retried.plan.some(removesRelease))) throw nothingToSkip();
  if ('request' in retried) return queueOperation(deps, store, { ...requested, operation: retried.request, object });

  const { plan, again } = retried;
  if (again) await checkRun(deps, store, { variant, run: again.run, deployment });
  const kind = await store.projected.kind(deployment.kind_id);
  const planned = { before: deployment, after: deployment, kind: kind?.name ?? '', reinstallDependents: true };
  const wanted = await stillAdopting(store, deployment, [...plannedTasks(plan, planned), ...(again ? [again] : [])]);
  const tasks = wanted.map((task) => (skipsHooks ? withoutHooks(task) : task));
  const queued = await queueTasks(store, tasks, origin);
  const task = queued.find(({ operation }) => variantOf(operation) === variant);
  if (!task) throw new Bug('A retry queued no task of its operation');
  return task;
}

const nothingToSkip = () => unfit('body.skip_hooks', 'the retry removes no release, so no hooks of a removal run');

async function deleteAgain(
  store: WritingStore,
  deployment: DeploymentRecord,
  { skipsHooks, origin }: Pick<Retry, 'skipsHooks' | 'origin'>,
): Promise<TaskRecord> {
  await refuseWithDependents(store, deployment, 'deleted');
  const after = await store.deploymentChanges.saveWanted({ ...deployment, deleting: true });
  return lastOf(await queueDeletion(store, after, { origin, skipsHooks }));
}

interface RunAgain {
  variant: Variant;
  run: DeployRun;
  deployment: DeploymentRecord;
}

async function checkRun(
  { heldReaders }: ProposeDeps,
  store: WritingStore,
  { variant, run, deployment }: RunAgain,
): Promise<void> {
  const paths = pathsOf(variant);
  const chart = await findChart(store.projected, run.helm_chart_id, paths);
  checkChart(chart, deployment.kind_id, paths);
  const wanted = { form: chart.form, config: run.config, envId: deployment.env_id, at: paths.config };
  await checkConfig(heldReaders(store), wanted);
}
