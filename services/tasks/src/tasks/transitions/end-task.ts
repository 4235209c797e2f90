import { isDeepStrictEqual } from 'node:util';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { WritingStore } from '../../store/store.ts';
import { afterEnd, afterMoot, type Ending } from '../../engine/tasks/after-end.ts';
import { beginsRun, runsLeft } from '../../engine/tasks/installed-runs.ts';
import { operationOf } from '../../engine/operations/index.ts';
import { atRest } from '../../queue/at-rest.ts';
import { registerTypes } from '../../resources/register-types.ts';
import { deploysBehind } from '../../engine/tasks/deploys-behind.ts';
import type { EndingTask } from '../../queue/lock-to-end.ts';
import { cancelBehind } from './cancel-behind.ts';
import { goBackIfPossible } from './go-back.ts';
import type { LockedTask } from '../../queue/lock-task.ts';
import type { TaskRecord } from '../../records/task-record.ts';

const byItself = { identity: undefined };

/**
 * Ends a started task and updates its deployment. The caller holds the lock of the deployment. Writes nothing and returns false if
 * the claim is no longer the latest one. `acknowledges`: the runner reported the outcome.
 */
export async function endTask(
  store: WritingStore,
  { task, deployment, cluster = null }: LockedTask & Partial<EndingTask>,
  ending: Ending,
  acknowledges = false,
): Promise<boolean> {
  const { outcome: status, reason } = ending;
  const ended = await store.taskChanges.end(task, { status, reason, acknowledges });
  if (!ended) return false;

  if (!deployment) return true;
  await leaveRuns(store, deployment, { task: ended, outcome: status });
  if (status === 'Done') await registerTypes(store, deployment, ended);
  if (status === 'Done' && ended.deletes_deployment) {
    await finishDeletion(store, ended);
    return true;
  }

  const { effect } = operationOf(ended.operation);
  const behind = effect === 'moves' ? deploysBehind(await store.tasks.open(ended.deployment_id), ended) : [];
  if (status !== 'Done') {
    const how = ended.status === 'Failed' ? 'failed' : 'was canceled';
    await cancelBehind(store, ended, how, behind, cancelerFrom(ended));
  }
  const here = status === 'Canceled' ? await goBackIfPossible(store, { task: ended, deployment, cluster }) : deployment;
  const after = afterEnd(here, ended, ending, behind.length > 0);
  await store.deploymentChanges.saveState(await atRest(store, after, ended.run));
  if (status === 'Done' && ended.reinstall_dependents) await reinstallDependents(store, ended, deployment.namespace);
  return true;
}

/** Before the deployment is saved, which may lose its installed place. */
async function leaveRuns(
  { installedChanges }: WritingStore,
  { id, revision_id }: DeploymentRecord,
  { task, outcome }: { task: TaskRecord; outcome: Ending['outcome'] },
): Promise<void> {
  const left = runsLeft(task, outcome, revision_id);
  await installedChanges.leave(id, left);
  if (left === 'all' && beginsRun(task)) await installedChanges.dropCovered(id, task.id);
}

/** Cancels a claimed task that has nothing left to do. The caller holds the lock of the deployment. */
export async function endMoot(
  store: WritingStore,
  task: TaskRecord,
  deployment: DeploymentRecord,
  reason: string,
): Promise<void> {
  await store.taskChanges.end(task, { status: 'Canceled', reason, acknowledges: false });
  await leaveRuns(store, deployment, { task, outcome: 'Canceled' });
  const after = await atRest(store, afterMoot(deployment, task, reason));
  if (!isDeepStrictEqual(after, deployment)) await store.deploymentChanges.saveState(after);
}

async function finishDeletion(store: WritingStore, { deployment_id, request_id }: TaskRecord): Promise<void> {
  const left = (await store.tasks.open(deployment_id)).map(({ id }) => id);
  const nobody = { user_id: null, deployment_id: null };
  if (left.length > 0)
    await store.queueChanges.cancelPending(left, { ...nobody, reason: 'The deployment was deleted' });

  const gone = await store.deploymentChanges.remove(deployment_id);
  await store.recordAudit({
    by: { ...byItself, requestId: request_id },
    action: 'finish deletion',
    resource: 'deployments',
    objectId: gone.id,
    envId: gone.env_id,
    details: { name: gone.name, namespace: gone.namespace },
  });
}

const cancelerFrom = (task: TaskRecord) => ({
  user_id: task.canceled_by_user_id,
  deployment_id: task.canceled_by_deployment_id,
});

const reinstallDependents = (store: WritingStore, task: TaskRecord, namespace: string) =>
  store.reinstalls.ofDependents(
    { collection: 'deployments', id: task.deployment_id },
    `${namespace}, which it uses, has changed`,
    {
      acting_user_id: task.acting_user_id,
      acting_deployment_id: task.acting_deployment_id,
      requester: task.requester,
      request_id: task.request_id,
    },
  );
