import { AppError, Bug } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { DeploymentsDeps } from '../../deployments/deployments-deps.ts';
import type { WritingStore } from '../../store/store.ts';
import { changeAtStart } from './change-at-start.ts';
import type { ClaimOptions } from '../../store/starting/claim-repository.ts';
import { endMoot, endTask } from '../transitions/end-task.ts';
import { beginRun } from '../../installed/begin-run.ts';
import type { CheckedRequester } from './look-up-requester.ts';
import { currentDeployment, whyNotAllowed } from './requester-rights.ts';
import { checkAction, type ActionWanted } from '../../actions/check-action.ts';
import { openBody } from '../../actions/seal-action.ts';
import { noLongerFits } from '../transitions/no-longer-fits.ts';
import { ruleOfOperation } from '../transitions/rule-of-operation.ts';
import type { SecretKeys } from '../../secrets/secret-keys.ts';
import { startFailure } from './start-failure.ts';
import { needsOf, operationOf } from '../../engine/operations/index.ts';
import { undoAtStart } from '../../engine/tasks/goes-back-to.ts';
import { startOf, whileRunning } from '../../engine/tasks/start-of.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { TaskRun } from '../../records/task-run.ts';
import { whyMoot } from '../../engine/tasks/why-moot.ts';

export interface Started {
  task: TaskRecord;
  run: TaskRun;
  deployment: DeploymentRecord;
  /** Nothing of the deployment was installed before. */
  isFirst: boolean;
  /** Another task was due. */
  isMoreDue: boolean;
}

/** `nothing`: no task may start now. `ended`: the claimed task turned out to be impossible; another may follow. */
export type StartNext = Started | 'nothing' | 'ended';

interface StartDeps extends Pick<DeploymentsDeps, 'heldReaders' | 'reserved'> {
  secretKeys: SecretKeys;
  log: Service['log'];
}

/**
 * Claims the next task and publishes it as started, in one transaction. A task that cannot start ends here; otherwise every later
 * claim would take it again.
 */
export async function startNext(
  deps: StartDeps,
  store: WritingStore,
  options: Omit<ClaimOptions, 'checked' | 'isAlone'>,
  checked: CheckedRequester | null,
): Promise<StartNext> {
  const due = await store.claims.waitForTurn();
  if (due === 0) return 'nothing';
  const task = await store.claims.take({ ...options, checked: checked?.taskId ?? null, isAlone: due === 1 });
  if (!task) return 'nothing';

  const deployment = await store.deployments.lock(task.deployment_id);
  if (!deployment) throw new Bug('The deployment of the claimed task does not exist');
  try {
    return await store.savepoint((inner) =>
      start(deps, inner, { task, before: deployment, checked, isMoreDue: due > 1 }),
    );
  } catch (error) {
    const failure = startFailure(error);
    if (!failure) throw error;
    if (failure.isBug) deps.log.error({ err: error, task_id: task.id }, 'a claimed task could not be started');
    await endTask(store, { task, deployment }, { outcome: 'Failed', reason: failure.reason });
    return 'ended';
  }
}

interface Starting {
  task: TaskRecord;
  before: DeploymentRecord;
  checked: CheckedRequester | null;
  isMoreDue: boolean;
}

async function start(
  deps: StartDeps,
  store: WritingStore,
  { task, before, checked, isMoreDue }: Starting,
): Promise<Started | 'ended'> {
  const { change } = task;
  const moot = whyMoot(task, before, change ? await store.tasks.open(task.deployment_id) : []);
  if (moot !== null) {
    await endMoot(store, task, before, moot);
    return 'ended';
  }
  if (task.checks_requester) await refuseWithoutRights(store, { task, deployment: before, checked });
  const { action } = needsOf(task.operation);
  if (action) await refuseAction(deps, store, { task, invoked: action, deployment: before });
  const changed = change && (await changeAtStart(deps, store, { task, change, deployment: before }));
  const { operation, run: planned } = changed ?? task;
  const deployment = changed?.deployment ?? before;

  const isRepeat = operationOf(operation).effect === 'repeats';
  const revision = isRepeat ? await store.tasks.deployRunOf(deployment.revision_id) : null;
  const begun = startOf({ operation, run: planned }, deployment, revision);
  if ('impossible' in begun) throw new AppError('conflict', begun.impossible);

  const { run } = begun;
  // The place that counts is the new one for a move, else the place of the run.
  const cluster_id = operationOf(operation).effect === 'moves' ? task.cluster_id : run.cluster_id;
  const undo = undoAtStart({ operation, undo: task.undo }, deployment);
  const startedAs = { run, operation, cluster_id, env_id: deployment.env_id, undo };
  const started = task.run ? task : await store.taskChanges.saveStart(task.id, startedAs);
  const running = await store.deploymentChanges.saveStarted(whileRunning(deployment, started, run), started);
  await beginRun(store, running, { task: started, run });
  return { task: started, run, deployment: running, isFirst: deployment.installed_cluster_id === null, isMoreDue };
}

/** Chart, action or reported status may have changed since the request. */
async function refuseAction(
  { heldReaders, secretKeys }: StartDeps,
  store: WritingStore,
  { task, ...wanted }: Pick<ActionWanted, 'invoked' | 'deployment'> & { task: TaskRecord },
): Promise<void> {
  const body = await openBody({ store, secretKeys }, task, wanted.invoked.body).catch((error: unknown) => {
    // If the key is missing, the task waits, like one whose secret cannot be opened: completing the claim detects this.
    if (error instanceof AppError && error.code === 'unavailable') return null;
    throw error;
  });
  if (body === null && wanted.invoked.body !== null) return;
  const { deployment } = wanted;
  const invoked = { ...wanted.invoked, body };
  await checkAction(store, heldReaders(store), { deployment, invoked, isNow: true }).catch((error: unknown) => {
    throw noLongerFits(error);
  });
}

/** The requester may have lost the right since the request. */
async function refuseWithoutRights(
  store: WritingStore,
  { task, deployment, checked }: Omit<Starting, 'before' | 'isMoreDue'> & { deployment: DeploymentRecord },
): Promise<void> {
  const { requester } = task;
  const current =
    requester?.kind === 'deployment'
      ? currentDeployment(await store.deployments.record(requester.id))
      : (checked?.current ?? null);
  const rule = await ruleOfOperation(store.projected, task, deployment);
  const why = whyNotAllowed(requester, current, { rule, deployment });
  if (why !== null) throw new AppError('forbidden', why);
}
