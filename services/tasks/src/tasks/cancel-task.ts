import { owner } from '@berth/shared/access/rules';
import { visibleEnvs } from '@berth/shared/access/visible-envs';
import type { HandlerContext } from '@berth/shared/bus/bus';
import type { DeploymentTask, deploymentTasks } from '@berth/shared/contracts/resources/deployment-tasks';
import { found } from '@berth/shared/errors';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import { conflict } from '../refuse.ts';
import type { InTransaction, WritingStore } from '../store.ts';
import { afterCancelPending } from '../engine/after-end.ts';
import { refreshReason } from '../engine/at-rest.ts';
import { deploysBehind } from '../engine/deploys-behind.ts';
import { lockTask } from './lock-task.ts';
import { cancelerOf } from '../records/origin-of.ts';
import type { Canceler } from '../records/canceler.ts';
import { publicTask, type TaskRecord, type Undo } from '../records/task-record.ts';
import { variantOf } from '../records/variant.ts';

type Context = HandlerContext<typeof deploymentTasks.operations.cancel>;

export interface CancelDeps {
  inTransaction: InTransaction;
  wakeRunners: () => void;
  /** Tells the runner of a task sooner than its next heartbeat does. */
  hintCancel: (taskId: string) => void;
}

/** A pending task at once; a started one is asked to stop; a finished one not at all. */
export const cancelTask =
  ({ inTransaction, wakeRunners, hintCancel }: CancelDeps) =>
  async (id: string, reason: string | undefined, context: Context): Promise<DeploymentTask> => {
    const canceled = await inTransaction(async (store) => {
      found(await store.tasks.find(id, visibleEnvs(context.identity)), 'deployment task');
      const { task, deployment } = found(await lockTask(store, id), 'deployment task');
      permitOn(context, task, deployment);
      if (deployment && leavesEnv(task, deployment)) {
        context.permit({ env_id: task.undo.env_id, kind_id: deployment.kind_id }, owner);
      }
      context.checkIfMatch(publicTask(task));
      if (task.status !== 'Pending' && task.status !== 'Started') throw conflict(`The task is ${task.status} already`);

      await tellAudit(store, task, context);
      const by = cancelerOf(context.identity, reason ?? null);
      if (task.status === 'Started') return publicTask(await store.taskChanges.requestCancel(id, by));
      await cancelPending(store, task, found(deployment, 'deployment'), by);
      return found(await store.tasks.read(id, 'all'), 'deployment task');
    });
    if (canceled.status === 'Started') hintCancel(id);
    else wakeRunners();
    return canceled;
  };

type ToUndo = TaskRecord & { undo: Undo };

/** Whether the cancellation takes the deployment back into another env, for which a move needs a role too. */
const leavesEnv = (task: TaskRecord, { env_id }: DeploymentRecord): task is ToUndo =>
  task.undo !== null && task.undo.env_id !== env_id && task.status === 'Pending' && task.first_attempted_at === null;

/** Of a deleted deployment no kind and env is left to hold a role for, but whoever made the task. */
export function permitOn(
  context: Pick<Context, 'permit'>,
  task: TaskRecord,
  deployment: DeploymentRecord | null,
): void {
  const { acting_user_id, acting_deployment_id } = task;
  const { env_id, kind_id } = deployment ?? { env_id: null, kind_id: '' };
  context.permit({ env_id, kind_id, acting_user_id, acting_deployment_id });
}

async function cancelPending(
  store: WritingStore,
  task: TaskRecord,
  deployment: DeploymentRecord,
  by: Canceler,
): Promise<void> {
  const open = await store.tasks.open(task.deployment_id);
  const [canceled] = await store.taskChanges.cancelPending([task.id], by);
  if (!canceled) throw new Error('A pending task was not canceled under the lock of its deployment');

  const isRunning = open.some(({ status }) => status === 'Started');
  await store.deploymentChanges.saveState(
    afterCancelPending(deployment, { ...task, variant: variantOf(task.operation) }, isRunning),
  );
  if ('Recreate' in task.operation) await endRecreate(store, task, deploysBehind(open, task), by);
  await refreshReason(store, found(await store.deployments.lock(deployment.id), 'deployment'));
}

/** What was to run at the new place does not; if nothing was touched yet, the deployment goes back to what it was (decision 6). */
async function endRecreate(
  store: WritingStore,
  { deployment_id, undo, first_attempted_at }: TaskRecord,
  behind: readonly string[],
  by: Canceler,
): Promise<void> {
  await store.taskChanges.cancelPending(behind, { ...by, reason: 'The Recreate before it was canceled' });
  const deployment = await store.deployments.lock(deployment_id);
  if (!undo || first_attempted_at !== null || !deployment) return;

  const back = await store.deploymentChanges.saveWanted({ ...deployment, ...undo });
  await store.taskChanges.movePending(back);
}

const tellAudit = (store: WritingStore, task: TaskRecord, by: Context) =>
  store.recordAudit({
    by,
    action: 'cancel',
    resource: 'deployment_tasks',
    objectId: task.id,
    envId: task.env_id,
    details: { deployment_id: task.deployment_id, operation: Object.keys(task.operation)[0] ?? null },
  });
