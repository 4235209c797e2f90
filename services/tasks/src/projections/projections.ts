import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import { envs } from '@berth/contracts/resources/envs/envs';
import { Id, Json } from '@berth/contracts/fields/fields';
import type { JsonObject } from '@berth/contracts/fields/json';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import { k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { createProjection } from '@berth/db/projections/projection';
import type { Service } from '@berth/service/service';
import { queuedTasks } from '@berth/contracts/definition/queued-tasks';
import { z } from 'zod';
import { type WritingStore, writingStore } from '../store/store.ts';

const ClusterFields = z.object({ env_id: Id.nullable(), is_ok: z.boolean() });
const EnvFields = z.object({ id: Id, name: z.string(), node_selector: Json, tolerations: Json });

const nobody = { acting_user_id: null, acting_deployment_id: null, requester: null, request_id: null };

/** Where tasks run, and whether they can. */
const clusterProjection = (notifyRunners: () => void) =>
  createProjection({
    resource: k8sClusters,
    table: 'k8s_cluster_projection',
    columns: [
      'env_id',
      'name',
      'is_ok',
      'not_ok_reason',
      'ignore',
      'last_seen_at',
      'ingress_domain',
      'ingress_class',
      'ingress_tls_secret_name',
    ],
    onApplied: async ({ id, row }, tx) => {
      const { env_id, is_ok } = ClusterFields.parse(row);
      if (env_id !== null) await followEnv(writingStore(tx), id, env_id);
      if (is_ok) notifyRunners();
    },
  });

/**
 * A cluster's env is also the env of its deployments and their open tasks. Changes of deployments lock the cluster's row until
 * they commit, so none is missed here.
 */
async function followEnv(
  {
    deploymentChanges,
    queueChanges,
    reinstalls,
    resourceChanges,
  }: Pick<WritingStore, 'deploymentChanges' | 'queueChanges' | 'reinstalls' | 'resourceChanges'>,
  clusterId: string,
  envId: string,
): Promise<void> {
  const moved = await deploymentChanges.followEnv(clusterId, envId);
  if (moved.length === 0) return;
  const ids = moved.map(({ id }) => id);
  await queueChanges.followEnv(ids, envId);
  await resourceChanges.followEnv(ids, envId);
  await reinstalls.of(ids, 'The cluster belongs to another env now', nobody);
}

/** A changed placement reinstalls every deployment that runs in the env (Specification, "Env"). */
const envProjection = (notifyRunners: () => void) =>
  createProjection({
    resource: envs,
    table: 'env_projection',
    columns: ['name', 'node_selector', 'tolerations'],
    onApplied: async ({ row, version }, tx) => {
      const env = EnvFields.parse(row);
      const { projected, reinstalls } = writingStore(tx);
      if (!(await projected.placementChanged(env))) return;

      const tasks = await reinstalls.ofEnv(env.id, `The placement of env ${env.name} has changed`, nobody);
      await projected.saveReinstallsOfPlacement(env.id, version, queuedTasks(tasks.map(({ id }) => id)));
      if (tasks.length > 0) notifyRunners();
    },
    onGone: async (id, tx, why) => {
      // Keep their contents: after a restored backup, the env may be missing at first and come back.
      if (why === 'deleted') await removeItemsOf(writingStore(tx), id);
    },
  });

type RemovingItems = Pick<
  WritingStore,
  'projected' | 'secretChanges' | 'resourceChanges' | 'resourceTypeChanges' | 'recordAudit'
>;

/**
 * `auth` deletes only empty envs, but secrets and resources may have been stored meanwhile. The resource types of the env go,
 * too.
 */
async function removeItemsOf(
  { projected, secretChanges, resourceChanges, resourceTypeChanges, recordAudit }: RemovingItems,
  envId: string,
): Promise<void> {
  await projected.waitForHoldersOfEnv(envId);
  const record = (resource: string, objectId: string, details: JsonObject) =>
    recordAudit({
      by: { identity: undefined, requestId: null },
      action: 'delete with the env',
      resource,
      objectId,
      envId,
      details,
    });
  for (const { id, collection, name } of await secretChanges.removeOfEnv(envId)) {
    await record('secrets', id, { collection, name });
  }
  for (const { id, type_id, name } of await resourceChanges.removeOfEnv(envId)) {
    await record('deployment_resources', id, { type_id, name });
  }
  await resourceTypeChanges.removeOfEnv(envId);
}

/** Projections of other services' rows; `notifyRunners` signals that a waiting task may start now. */
export const createProjections = ({ notifyRunners }: { notifyRunners: () => void }) => ({
  clusters: clusterProjection(notifyRunners),
  registries: createProjection({ resource: helmRegistries, table: 'helm_registry_projection', columns: ['kind_id'] }),
  charts: createProjection({
    resource: helmCharts,
    table: 'helm_chart_projection',
    columns: [
      'helm_registry_id',
      'image_tag',
      'available',
      'values_ui',
      'features',
      'actions_schema',
      'resource_types',
      'error',
    ],
  }),
  kinds: createProjection({ resource: deploymentKinds, table: 'deployment_kind_projection', columns: ['name'] }),
  envs: envProjection(notifyRunners),
});
export type Projections = ReturnType<typeof createProjections>;

export function followAll(projections: Projections, { db, bus, loop }: Following): void {
  for (const [copied, projection] of Object.entries(projections)) {
    loop(`follow ${copied}`, projection.follow({ db, bus }));
  }
}

type Following = FollowDeps & Pick<Service, 'loop'>;
type FollowDeps = Parameters<Projections['clusters']['follow']>[0];
