import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { Bug, found } from '@berth/contracts/errors';
import { updateRow } from '@berth/db/changes/update-row';
import type { WritingStore } from '../store/store.ts';
import { whyNotAbandoned } from '../engine/deployments/why-not-abandoned.ts';
import { afterCancelPending } from '../engine/tasks/after-end.ts';
import { cancelerOf, originOf } from '../records/origin-of.ts';
import { lastOf, queueTasks } from '../queue/queue-tasks.ts';
import { supersede } from '../queue/supersede.ts';
import { beingDeleted, conflict } from '../errors/refuse.ts';
import type { Canceler } from '../records/canceler.ts';
import { type DeploymentRecord, publicDeployment } from '../records/deployment-record.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { refuseWithDependents } from './fit-changes.ts';
import { planDeletion } from '../engine/operations/plans.ts';
import { plannedTasks } from '../engine/tasks/planned-tasks.ts';
import { lockVisible } from './update-deployment.ts';

type Context = HandlerContext<typeof deployments.operations.delete>;

/**
 * Requests the deletion: the row is deleted once release and namespace are gone, or at once if it was never released or is
 * abandoned.
 */
export const deleteDeployment =
  (deps: DeploymentsDeps) =>
  async (id: string, abandons: boolean, context: Context): Promise<null> => {
    if (abandons) return abandon(deps, id, context);
    const { inTransaction, notifyRunners } = deps;
    await updateRow(inTransaction, context, deployments, {
      lock: (store) => lockVisible(store, id, visibleEnvs(context.identity)),
      publicRow: publicDeployment,
      // A repeated request: the deletion is already under way.
      wanted: (deployment) => ({ ...deployment, deleting: true }),
      update: async (store, wanted, before) => {
        await refuseWithDependents(store, before, 'deleted');
        await startDeletion(store, before, context);
        return wanted;
      },
      audited: ({ env_id, name, namespace, cluster_id }) => ({
        action: 'delete',
        objectId: id,
        envId: env_id,
        details: { name, namespace, cluster_id },
      }),
    });
    notifyRunners();
    return null;
  };

async function startDeletion(store: WritingStore, deployment: DeploymentRecord, context: Context): Promise<void> {
  const open = await store.tasks.open(deployment.id);
  const pending = open.filter(({ status }) => status === 'Pending');
  if (pending.length > 0) {
    const by = cancelerOf(context.identity, beingDeleted);
    await store.queueChanges.cancelPending(
      pending.map(({ id }) => id),
      by,
    );
  }
  const started = open.filter(({ status }) => status === 'Started');
  if (deployment.installed_cluster_id === null && started.length === 0) {
    await store.deploymentChanges.remove(deployment.id);
    return;
  }

  // The stored state must not be transient during the deletion, since no other task would end it.
  const covered = pending.reduce((before, task) => afterCancelPending(before, task, started), deployment);
  const after = await store.deploymentChanges.saveState({ ...covered, deleting: true });
  await queueDeletion(store, after, { origin: originOf(context), skipsHooks: false });
}

/** The Uninstall of a deletion, which supersedes a task that only awaits readiness. */
export async function queueDeletion(
  store: WritingStore,
  deployment: DeploymentRecord,
  { origin, skipsHooks }: { origin: ReturnType<typeof originOf>; skipsHooks: boolean },
) {
  const planned = { before: deployment, after: deployment, kind: '', reinstallDependents: false };
  const tasks = plannedTasks(planDeletion, planned).map((task) => ({
    ...task,
    deletes_deployment: true,
    skips_hooks: skipsHooks,
  }));
  const queued = await queueTasks(store, tasks, origin);
  await supersede(store, deployment, { by: lastOf(queued), origin, mayCancel: null });
  return queued;
}

/** Deletes the row and ends its tasks at once: release and namespace stay on the cluster, which is out of use. */
async function abandon(
  { store, inTransaction, confirm }: DeploymentsDeps,
  id: string,
  context: Context,
): Promise<null> {
  const visible = visibleEnvs(context.identity);
  found(await store.deployments.find(id, visible), 'deployment');
  const seen = await store.deployments.record(id);
  if (seen) await confirm.cluster(leftOn(seen), context);
  return updateRow(inTransaction, context, deployments, {
    lock: (tx) => lockVisible(tx, id, visible),
    publicRow: publicDeployment,
    // Always differs from the row, so that an abandonment is never skipped: not even if a deletion is under way.
    wanted: (deployment) => ({ ...deployment, deleting: true, reason: abandoned }),
    refuse: async (before, { health }) => {
      const [cluster = null] = await health.clustersById([leftOn(before)]);
      const refused = whyNotAbandoned(cluster);
      if (refused !== null) throw conflict(refused);
    },
    update: async (tx, _wanted, before) => {
      await refuseWithDependents(tx, before, 'deleted');
      await endTasks(tx, before, cancelerOf(context.identity, abandoned));
      return tx.deploymentChanges.remove(id);
    },
    audited: ({ env_id, name, namespace, cluster_id }, { installed_cluster_id, installed_namespace }) => ({
      action: 'abandon',
      objectId: id,
      envId: env_id,
      details: {
        name,
        namespace,
        cluster_id,
        left: { cluster_id: installed_cluster_id, namespace: installed_namespace },
      },
    }),
    answer: () => null,
  });
}

const abandoned = 'The deployment was deleted, and its release abandoned';

const leftOn = ({ installed_cluster_id, cluster_id }: DeploymentRecord): string => installed_cluster_id ?? cluster_id;

/** The runner of a started task learns from its next heartbeat that the claim is gone. */
async function endTasks(store: WritingStore, { id }: DeploymentRecord, by: Canceler): Promise<void> {
  const open = await store.tasks.open(id);
  const pending = open.filter(({ status }) => status === 'Pending').map((task) => task.id);
  await store.queueChanges.cancelPending(pending, by);
  for (const started of open.filter(({ status }) => status === 'Started')) {
    const { fence, cancel_reason } = await store.taskChanges.requestCancel(started.id, by);
    const ending = { status: 'Canceled', reason: cancel_reason, acknowledges: false } as const;
    const ended = await store.taskChanges.end({ id: started.id, fence }, ending);
    if (!ended) throw new Bug('A started task did not end under its lock');
  }
}
