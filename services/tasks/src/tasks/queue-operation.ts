import type { DeploymentChanges } from '@berth/shared/contracts/resources/deployments';
import { sameJson } from '@berth/shared/contracts/json';
import type { RequestedOperation } from '@berth/shared/contracts/resources/task-operation';
import { AppError } from '@berth/shared/errors';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { VisibleEnvs } from '../deployments/deployment-repository.ts';
import type { DeploymentsDeps } from '../deployments/deployments-deps.ts';
import { operationPaths } from '../deployments/field-paths.ts';
import { fitChanges } from '../deployments/fit-changes.ts';
import { makeChanges } from '../deployments/make-changes.ts';
import { plannedTasks } from '../engine/planned-tasks.ts';
import { conflict, unfit } from '../refuse.ts';
import type { WritingStore } from '../store.ts';
import { refuseDeleted, refuseWrongState } from './change-at-start.ts';
import type { Origin } from '../records/new-task.ts';
import { queueTasks } from '../engine/queue-tasks.ts';
import type { TaskRecord } from '../records/task-record.ts';
import { variants } from '../records/variant.ts';

export interface Requested {
  deployment: DeploymentRecord;
  operation: RequestedOperation;
  visible: VisibleEnvs;
  origin: Origin;
  executeAt?: string | undefined;
}

type Deps = Pick<DeploymentsDeps, 'heldReaders' | 'reserved'>;

/** Queues what was asked for by its operation, under the lock of the deployment. */
export async function queueOperation(deps: Deps, store: WritingStore, requested: Requested): Promise<TaskRecord> {
  const { operation } = requested;
  if ('Recreate' in operation) {
    throw unfit('body.operation.Recreate', 'cannot be asked for: rename or move the deployment');
  }
  if ('InvokeAction' in operation || 'RestartK8sResource' in operation) {
    const variant = variants.find((name) => name in operation);
    throw new AppError('not_implemented', `Tasks of the operation ${variant} cannot be made yet`);
  }
  if ('Reinstall' in operation) return queueReinstall(store, requested, operation.Reinstall.reason);

  const asked = changeOf(operation);
  if (!asked) throw new Error('An operation that changes nothing was not made on its own');
  return queueChange(deps, store, requested, asked);
}

export async function queueChange(deps: Deps, store: WritingStore, wanted: ChangeWanted, asked: Asked) {
  const { deployment, executeAt } = wanted;
  refuseDeleted(deployment);
  if (await isLater(store, executeAt)) return schedule(deps, store, wanted, asked);
  refuseWrongState(asked.variant, deployment);
  return changeNow(deps, store, wanted, asked);
}

/** What is for later is judged by the state of then only: an Uninstall tonight and an Install tomorrow can both be asked for now. */
const isLater = async (store: WritingStore, executeAt: string | undefined): Promise<boolean> =>
  executeAt !== undefined && !(await store.isPast(executeAt));

type ChangeWanted = Omit<Requested, 'operation'>;

export interface Asked {
  variant: 'Install' | 'Upgrade' | 'Uninstall';
  changes: DeploymentChanges;
}

/** What an operation asks to change about the deployment; null for those that change nothing about it. */
export function changeOf(operation: RequestedOperation): Asked | null {
  if ('Uninstall' in operation) return { variant: 'Uninstall', changes: { enabled: false } };
  if ('Install' in operation) {
    const { helm_chart_id, config_inputs: config, values_override } = operation.Install;
    return { variant: 'Install', changes: { enabled: true, helm_chart_id, config, values_override } };
  }
  if (!('Upgrade' in operation)) return null;
  const { helm_chart_id, config_inputs: config, values_override } = operation.Upgrade;
  return { variant: 'Upgrade', changes: { helm_chart_id, config, values_override } };
}

const fit = ({ heldReaders, reserved }: Deps, store: WritingStore, wanted: ChangeWanted, { variant, changes }: Asked) =>
  fitChanges(store, wanted.deployment, changes, {
    paths: operationPaths(variant === 'Install' ? 'Install' : 'Upgrade'),
    visible: wanted.visible,
    reserved,
    readers: heldReaders(store),
  });

async function changeNow(deps: Deps, store: WritingStore, wanted: ChangeWanted, asked: Asked): Promise<TaskRecord> {
  const { deployment: before, origin } = wanted;
  const { tasks } = await makeChanges(store, [asked.variant], {
    before,
    fit: await fit(deps, store, wanted, asked),
    origin,
  });
  return last(tasks);
}

/** The deployment changes when the task starts; what does not fit now would not fit then. */
async function schedule(deps: Deps, store: WritingStore, wanted: ChangeWanted, asked: Asked): Promise<TaskRecord> {
  const { deployment: before, origin, executeAt: execute_at } = wanted;
  const { after, kind, chart } = await fit(deps, store, wanted, asked);
  const { reinstall_dependencies: reinstallDependents } = chart.parsedFeatures;
  const planned = plannedTasks([asked.variant], { before, after, kind: kind.name, reinstallDependents });
  const change = withoutSameOverride(asked.changes, before);
  const tasks = planned.map((task) => ({ ...task, run: null, change, execute_at }));
  return last(await queueTasks(store, tasks, origin));
}

/** An override is for owners: who leaves it as it is must not undo what one of them makes of it until then. */
function withoutSameOverride(changes: DeploymentChanges, before: DeploymentRecord): DeploymentChanges {
  const { values_override, ...others } = changes;
  return sameJson(values_override, before.values_override) ? others : changes;
}

export async function queueReinstall(
  store: WritingStore,
  { deployment, origin, executeAt: execute_at }: Omit<Requested, 'operation' | 'visible'>,
  reason: string,
): Promise<TaskRecord> {
  refuseDeleted(deployment);
  if (!(await isLater(store, execute_at))) {
    refuseWrongState('Reinstall', deployment);
    const open = await store.tasks.sizeOfOpen(deployment.id);
    if (deployment.revision_id === null && open.count === 0) {
      throw conflict('Nothing is installed that could be installed again');
    }
  }
  const { id: deployment_id, cluster_id, env_id } = deployment;
  const task = { deployment_id, cluster_id, env_id, operation: { Reinstall: { reason } }, execute_at };
  return last(await queueTasks(store, [task], origin));
}

/** The one that was asked for: what has to come before it is queued before it. */
export function last(tasks: readonly TaskRecord[]): TaskRecord {
  const task = tasks.at(-1);
  if (!task) throw new Error('A task was asked for and none was queued');
  return task;
}
