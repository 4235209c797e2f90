import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import { sameJson } from '@berth/contracts/fields/json';
import type { RequestedOperation } from '@berth/contracts/resources/tasks/task-operation';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { VisibleEnvs } from '../../store/deployments/deployment-repository.ts';
import type { DeploymentsDeps } from '../../deployments/deployments-deps.ts';
import { fitChanges } from '../../deployments/fit-changes.ts';
import { checkAction } from '../../actions/check-action.ts';
import { makeChanges } from '../../deployments/make-changes.ts';
import { plannedTasks } from '../../engine/tasks/planned-tasks.ts';
import type { WritingStore } from '../../store/store.ts';
import { refuseDeleted, refuseWrongState } from './refuse-wrong-state.ts';
import type { RestartedObject } from '../../records/task-run.ts';
import type { Origin } from '../../records/new-task.ts';
import { needsOf, operationOf, pathsOf } from '../../engine/operations/index.ts';
import { lastOf, queueTasks } from '../../queue/queue-tasks.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import { type Variant, variantOf } from '../../records/variant.ts';

export interface Requested {
  deployment: DeploymentRecord;
  operation: RequestedOperation;
  visible: VisibleEnvs;
  origin: Origin;
  executeAt?: string | undefined;
  /** The object to restart. */
  object?: RestartedObject | undefined;
}

type Deps = Pick<DeploymentsDeps, 'heldReaders' | 'reserved'>;

/** Queues the requested operation, under the lock of the deployment. */
export async function queueOperation(deps: Deps, store: WritingStore, requested: Requested): Promise<TaskRecord> {
  const { notRequestable, change } = operationOf(requested.operation);
  if (notRequestable) throw notRequestable();
  if (!change) return queueWithoutChange(deps, store, requested);
  const variant = variantOf(requested.operation);
  return queueChange(deps, store, requested, { variant, changes: change.of(requested.operation) });
}

export async function queueChange(deps: Deps, store: WritingStore, wanted: ChangeWanted, request: ChangeRequest) {
  const { deployment, executeAt } = wanted;
  refuseDeleted(deployment);
  if (await isLater(store, executeAt)) return schedule(deps, store, wanted, request);
  refuseWrongState(request.variant, deployment, true);
  return changeNow(deps, store, wanted, request);
}

/** A scheduled task is judged by the state at its start: to disable tonight and enable tomorrow can both be requested now. */
const isLater = async (store: WritingStore, executeAt: string | undefined): Promise<boolean> =>
  executeAt !== undefined && !(await store.isPast(executeAt));

type ChangeWanted = Omit<Requested, 'operation'>;

export interface ChangeRequest {
  variant: Variant;
  changes: DeploymentChanges;
}

const fit = (
  { heldReaders, reserved }: Deps,
  store: WritingStore,
  wanted: ChangeWanted,
  { variant, changes }: ChangeRequest,
) =>
  fitChanges(store, wanted.deployment, changes, {
    paths: pathsOf(variant),
    visible: wanted.visible,
    reserved,
    readers: heldReaders(store),
  });

async function changeNow(
  deps: Deps,
  store: WritingStore,
  wanted: ChangeWanted,
  request: ChangeRequest,
): Promise<TaskRecord> {
  const { deployment: before, origin } = wanted;
  const { tasks } = await makeChanges(store, [request.variant], {
    before,
    fit: await fit(deps, store, wanted, request),
    origin,
  });
  return lastOf(tasks);
}

/** The deployment changes when the task starts; a change that does not fit now is refused at once. */
async function schedule(
  deps: Deps,
  store: WritingStore,
  wanted: ChangeWanted,
  request: ChangeRequest,
): Promise<TaskRecord> {
  const { deployment: before, origin, executeAt: execute_at } = wanted;
  const { after, kind, chart } = await fit(deps, store, wanted, request);
  const { reinstall_dependencies: reinstallDependents } = chart.parsedFeatures;
  const planned = plannedTasks([request.variant], { before, after, kind: kind.name, reinstallDependents });
  const change = withoutSameOverride(request.changes, before);
  const tasks = planned.map((task) => ({ ...task, run: null, change, execute_at }));
  return lastOf(await queueTasks(store, tasks, origin));
}

/** Only owners change the override: a task of somebody else must not undo a change that an owner makes before its start. */
function withoutSameOverride(changes: DeploymentChanges, before: DeploymentRecord): DeploymentChanges {
  const { values_override, ...others } = changes;
  return sameJson(values_override, before.values_override) ? others : changes;
}

async function queueWithoutChange(
  { heldReaders }: Deps,
  store: WritingStore,
  { deployment, operation, origin, object, executeAt: execute_at }: Requested,
): Promise<TaskRecord> {
  refuseDeleted(deployment);
  const isDue = !(await isLater(store, execute_at));
  const { count } = await store.tasks.sizeOfOpen(deployment.id);
  if (isDue) {
    refuseWrongState(variantOf(operation), deployment, count > 0);
  }
  const { action: invoked } = needsOf(operation);
  if (invoked) {
    // After other tasks the state is the one that they leave; the start decides.
    const isNow = isDue && count === 0;
    await checkAction(store, heldReaders(store), { deployment, invoked, isNow });
  }
  const planned = {
    before: deployment,
    after: deployment,
    kind: '',
    reinstallDependents: false,
    requested: operation,
    object,
  };
  const tasks = plannedTasks([variantOf(operation)], planned).map((task) => ({ ...task, execute_at }));
  return lastOf(await queueTasks(store, tasks, origin));
}
