import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import { sameJson } from '@berth/contracts/fields/json';
import type { RequestedOperation } from '@berth/contracts/resources/tasks/task-operation';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import { checkAction } from '../../actions/check-action.ts';
import { sealAction } from '../../actions/seal-action.ts';
import { makeChange } from '../../deployments/make-change.ts';
import { proposeChange, type ProposeDeps } from '../../deployments/propose-change.ts';
import { plannedTasks } from '../../engine/tasks/planned-tasks.ts';
import type { SecretKeys } from '../../secrets/secret-keys.ts';
import type { WritingStore } from '../../store/store.ts';
import { refuseDeleted } from '../../errors/refuse.ts';
import { refuseWrongState } from './refuse-wrong-state.ts';
import type { RestartedObject } from '../../records/task-run.ts';
import type { Origin } from '../../records/new-task.ts';
import { needsOf, operationOf, pathsOf } from '../../engine/operations/index.ts';
import { lastOf, queueTasks } from '../../queue/queue-tasks.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import { type Variant, variantOf } from '../../records/variant.ts';

export type QueueDeps = ProposeDeps & { secretKeys: SecretKeys };

export interface Requested {
  deployment: DeploymentRecord;
  operation: RequestedOperation;
  visible: VisibleEnvs;
  origin: Origin;
  executeAt?: string | undefined;
  /** The object to restart. */
  object?: RestartedObject | undefined;
}

/** Queues the requested operation. The caller holds the lock of the deployment. */
export async function queueOperation(deps: QueueDeps, store: WritingStore, requested: Requested): Promise<TaskRecord> {
  const { notRequestable, change } = operationOf(requested.operation);
  if (notRequestable) throw notRequestable();
  if (!change) return queueWithoutChange(deps, store, requested);
  const variant = variantOf(requested.operation);
  return queueChange(deps, store, requested, { variant, changes: change.of(requested.operation) });
}

export async function queueChange(
  deps: ProposeDeps,
  store: WritingStore,
  { deployment: before, visible, origin, executeAt }: ChangeRequested,
  { variant, changes }: { variant: Variant; changes: DeploymentChanges },
): Promise<TaskRecord> {
  const isScheduled = await isLater(store, executeAt);
  if (!isScheduled) refuseWrongState(variant, before, true);
  // A change that does not fit now is refused at once, even if it is scheduled for later.
  const wanted = { before, changes, visible, paths: pathsOf(variant), plan: [variant] };
  const proposed = await proposeChange(deps, store, wanted);
  if (!isScheduled) return lastOf((await makeChange(store, proposed, origin)).tasks);

  const later = { run: null, change: withoutSameOverride(changes, before), execute_at: executeAt };
  return lastOf(await queueTasks(store, [{ ...lastOf(proposed.tasks), ...later }], origin));
}

type ChangeRequested = Omit<Requested, 'operation'>;

/** The state at its start decides about a scheduled task: disabling tonight and enabling tomorrow can both be requested now. */
const isLater = async (store: WritingStore, executeAt: string | undefined): Promise<boolean> =>
  executeAt !== undefined && !(await store.isPast(executeAt));

/** Only owners may change the override. A task of someone else must not undo an owner's change that was made before its start. */
function withoutSameOverride(changes: DeploymentChanges, before: DeploymentRecord): DeploymentChanges {
  const { values_override, ...others } = changes;
  return sameJson(values_override, before.values_override) ? others : changes;
}

async function queueWithoutChange(
  { heldReaders, secretKeys }: QueueDeps,
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
  // The state depends on earlier tasks, so it is checked at the start.
  const isNow = isDue && count === 0;
  const action = invoked && (await checkAction(store, heldReaders(store), { deployment, invoked, isNow }));
  const call = action && (await sealAction(store, secretKeys, { action, invoked }));
  const planned = {
    before: deployment,
    after: deployment,
    kind: '',
    reinstallDependents: false,
    requested: call?.operation ?? operation,
    object,
  };
  const tasks = plannedTasks([variantOf(operation)], planned).map((task) => ({ ...task, ...call?.sealed, execute_at }));
  return lastOf(await queueTasks(store, tasks, origin));
}
