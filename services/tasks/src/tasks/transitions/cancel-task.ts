import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type DeploymentTask, deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { runAction } from '@berth/db/changes/run-action';
import { Bug, found } from '@berth/contracts/errors';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import { conflict } from '../../errors/refuse.ts';
import type { Confirm } from '../../projections/confirm.ts';
import type { ProjectedCluster } from '../../store/projection-repository.ts';
import type { InTransaction, ReadingStore, WritingStore } from '../../store/store.ts';
import { afterCancelPending } from '../../engine/tasks/after-end.ts';
import { refreshReason } from '../../queue/at-rest.ts';
import { deploysBehind } from '../../engine/tasks/deploys-behind.ts';
import { isCancelable } from '../../engine/deployments/lifecycle.ts';
import { refuseClosed } from '../../deployments/place.ts';
import { scopeOfTask } from '../../queue/scope-of-task.ts';
import { lockTask } from '../../queue/lock-task.ts';
import { cancelerOf } from '../../records/origin-of.ts';
import type { Canceler } from '../../records/canceler.ts';
import { cancelBehind } from './cancel-behind.ts';
import { goBack, placeBefore } from './go-back.ts';
import { publicTask, type TaskRecord, type Undo } from '../../records/task-record.ts';
import { variantOf } from '../../records/variant.ts';

type Context = HandlerContext<typeof deploymentTasks.operations.cancel>;

export interface CancelDeps {
  store: Pick<ReadingStore, 'tasks'>;
  inTransaction: InTransaction;
  confirm: Pick<Confirm, 'cluster'>;
  notifyRunners: () => void;
  /** Tells the runner of a task before its next heartbeat would. */
  hintCancel: (taskId: string) => void;
}

/** A pending task ends at once; the runner of a started one is requested to stop; a finished one is refused. */
export const cancelTask =
  ({ store: { tasks }, inTransaction, confirm, notifyRunners, hintCancel }: CancelDeps) =>
  async (id: string, reason: string | undefined, context: Context): Promise<DeploymentTask> => {
    const visible = visibleEnvs(context.identity);
    found(await tasks.find(id, visible), 'deployment task');
    const target = await tasks.clusterToReturnTo(id);
    // Checked again, as for a move: the cluster may be in another env by now.
    if (target !== null) await confirm.cluster(target, context);
    const canceled = await runAction(inTransaction, context, deploymentTasks, {
      lock: async (store): Promise<Canceling | null> => {
        // The cluster is locked before the deployment, in the same order as in changes of the cluster.
        const cluster = target === null ? null : await store.projected.holdCluster(target);
        const isVisible = (await store.tasks.find(id, visible)) !== null;
        const locked = isVisible ? await lockTask(store, id) : null;
        if (!locked) return null;
        const { task, deployment } = locked;
        const back = deployment && isCancelable(task.status) ? placeBefore(task, deployment, cluster) : null;
        return { task, deployment, cluster, back };
      },
      scope: ({ task, deployment, back }) => ({
        ...scopeOfTask(task, deployment),
        returnsTo:
          deployment && back && back.env_id !== deployment.env_id
            ? { env_id: back.env_id, kind_id: deployment.kind_id }
            : null,
      }),
      matched: ({ task }) => publicTask(task),
      run: async (store, { task, deployment, cluster, back }) => {
        if (!isCancelable(task.status)) throw conflict(`The task is ${task.status} already`);
        const by = cancelerOf(context.identity, reason || null);
        if (task.status === 'Started') {
          return publicTask(await store.taskChanges.requestCancel(id, by));
        }
        if (back && cluster) refuseClosed(cluster);
        await cancelPending(store, task, { deployment: found(deployment, 'deployment'), back, by });
        return found(await store.tasks.read(id, 'all'), 'deployment task');
      },
      audited: (_canceled, { task: { env_id, deployment_id, operation } }) => ({
        action: 'cancel',
        objectId: id,
        envId: env_id,
        details: { deployment_id, operation: variantOf(operation) },
      }),
      answer: (canceled) => canceled,
    });
    if (canceled.status === 'Started') hintCancel(id);
    else notifyRunners();
    return canceled;
  };

interface Canceling {
  task: TaskRecord;
  deployment: DeploymentRecord | null;
  /** The cluster that the deployment leaves if the task is a move. */
  cluster: ProjectedCluster | null;
  /** The place to which the deployment returns. For a started task only if it removes nothing before it is canceled. */
  back: Undo | null;
}

interface CancelPending {
  deployment: DeploymentRecord;
  /** The place to which the deployment returns. */
  back: Undo | null;
  by: Canceler;
}

async function cancelPending(
  store: WritingStore,
  task: TaskRecord,
  { deployment, back, by }: CancelPending,
): Promise<void> {
  const open = await store.tasks.open(task.deployment_id);
  const [canceled] = await store.queueChanges.cancelPending([task.id], by);
  if (!canceled) throw new Bug('A pending task was not canceled under the lock of its deployment');

  const behind = deploysBehind(open, task);
  const others = open.filter(({ id }) => id !== task.id && !behind.includes(id));
  await store.deploymentChanges.saveState(
    afterCancelPending(deployment, { ...task, variant: variantOf(task.operation) }, others),
  );
  await cancelBehind(store, task, 'was canceled', behind, by);
  // Canceling a move before its start also restores name and place (Specification, "Order of tasks").
  const moved = back && (await store.deployments.lock(deployment.id));
  if (moved) await goBack(store, moved, back);
  await refreshReason(store, found(await store.deployments.lock(deployment.id), 'deployment'));
}
