import { isDeepStrictEqual } from 'node:util';
import { owner } from '@berth/contracts/access/rules';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import {
  type Deployment,
  type DeploymentChanges,
  deployments,
} from '@berth/contracts/resources/deployments/deployments';
import { found } from '@berth/contracts/errors';
import { confirmedCatalogue } from '../projections/confirmed-catalogue.ts';
import { applyGiven } from '@berth/db/changes/apply-given';
import { updateRow } from '@berth/db/changes/update-row';
import type { ReadingStore, WritingStore } from '../store/store.ts';
import { originOf } from '../records/origin-of.ts';
import { type DeploymentRecord, publicDeployment } from '../records/deployment-record.ts';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { deploymentPaths } from '../records/field-paths.ts';
import { mayCancelBy } from '../queue/supersede.ts';
import { makeChange } from './make-change.ts';
import { findCluster } from './place.ts';
import { proposeChange } from './propose-change.ts';
import { conflict } from '../errors/refuse.ts';

type Context = HandlerContext<typeof deployments.operations.update>;

/** The change and the tasks that follow from it, in one transaction. */
export const updateDeployment =
  (deps: DeploymentsDeps) =>
  async (id: string, changes: DeploymentChanges, supersedes: boolean, context: Context): Promise<Deployment> => {
    const visible = visibleEnvs(context.identity);
    const target = targetOf(found(await deps.store.deployments.find(id, visible), 'deployment'), changes);
    // The cluster's env decides who may change it and which items it may refer to.
    if (target !== null) await deps.confirm.cluster(target, context);
    const updated = await confirmedCatalogue(
      () =>
        updateRow(deps.inTransaction, context, deployments, {
          lock: async (store) => {
            // Locks the cluster before the deployment, as changes of clusters do; the reverse order deadlocks.
            if (target !== null) await store.projected.holdCluster(target);
            const before = await lockVisible(store, id, visible);
            if (target !== targetOf(before, changes)) {
              throw conflict('The deployment was renamed or moved concurrently; try again');
            }
            return before;
          },
          refuse: (before, store) => permitMove(store, before, { changes, visible, context }),
          publicRow: publicDeployment,
          wanted: (before) => applyGiven(before, changes),
          update: (store, _desired, before) => update(deps, store, { before, changes, supersedes, visible, context }),
          audited: (_after, before) => ({
            action: 'update',
            objectId: id,
            envId: before.env_id,
            // Names only: inputs may be confidential.
            details: { namespace: before.namespace, changed: changedFields(before, changes) },
          }),
          // Read once more, since its reason names the tasks that were queued after the row was written.
          answer: async ({ id }, { deployments }) => found(await deployments.find(id, 'all'), 'deployment'),
        }),
      deps.confirm,
      context,
    );
    deps.notifyRunners();
    return updated;
  };

interface DesiredUpdate {
  before: DeploymentRecord;
  changes: DeploymentChanges;
  supersedes: boolean;
  visible: VisibleEnvs;
  context: Context;
}

/** Null if the deployment stays in its place. */
export function targetOf(
  deployment: Pick<Deployment, 'name' | 'cluster_id'>,
  changes: DeploymentChanges,
): string | null {
  const { name = deployment.name, cluster_id = deployment.cluster_id } = changes;
  return name === deployment.name && cluster_id === deployment.cluster_id ? null : cluster_id;
}

async function update(
  deps: DeploymentsDeps,
  store: WritingStore,
  { before, changes, supersedes, visible, context }: DesiredUpdate,
): Promise<DeploymentRecord> {
  const proposed = await proposeChange(deps, store, { before, changes, visible });
  const mayCancel = supersedes ? mayCancelBy(context) : null;
  return (await makeChange(store, proposed, originOf(context), mayCancel)).deployment;
}

/** The deployment, locked; or `not_found`. */
export async function lockVisible(
  store: Pick<WritingStore, 'deployments'>,
  id: string,
  visible: VisibleEnvs,
): Promise<DeploymentRecord> {
  // Check visibility first: a caller who may not see the row must not lock it.
  found(await store.deployments.find(id, visible), 'deployment');
  return found(await store.deployments.lock(id), 'deployment');
}

/** A move also needs the role in the new cluster's env. */
export async function permitMove(
  store: Pick<ReadingStore, 'projected'>,
  before: DeploymentRecord,
  { changes, visible, context }: Pick<DesiredUpdate, 'changes' | 'visible'> & { context: Pick<Context, 'permit'> },
): Promise<void> {
  if (changes.cluster_id === undefined || changes.cluster_id === before.cluster_id) return;
  const path = deploymentPaths.cluster_id;
  const { env_id } = await findCluster(store.projected, changes.cluster_id, { visible, path });
  context.permit({ env_id, kind_id: before.kind_id }, owner);
}

/** Requests may repeat current values. */
function changedFields(before: DeploymentRecord, changes: DeploymentChanges): string[] {
  const current = new Map<string, unknown>(Object.entries(before));
  return Object.entries(changes)
    .filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, current.get(field)))
    .map(([field]) => field);
}
