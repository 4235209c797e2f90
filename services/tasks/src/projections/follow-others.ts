import { deploymentKinds } from '@berth/shared/contracts/deployment-kinds';
import { envs } from '@berth/shared/contracts/envs';
import { Id, Json } from '@berth/shared/contracts/fields';
import { helmCharts } from '@berth/shared/contracts/helm-charts';
import { helmRegistries } from '@berth/shared/contracts/helm-registries';
import { k8sClusters } from '@berth/shared/contracts/k8s-clusters';
import { followProjection } from '@berth/shared/db/projection';
import { z } from 'zod';
import { writingStore } from '../store.ts';

type Following = Pick<Parameters<typeof followProjection>[0], 'db' | 'bus'> & {
  /** Something that waited may start now. */
  wakeRunners: () => void;
};

const ClusterNews = z.object({ env_id: Id.nullable(), is_ok: z.boolean() });
const EnvNews = z.object({ id: Id, name: z.string(), node_selector: Json, tolerations: Json });

/** Where tasks run, and whether they can. */
export const followClusters = ({ db, bus, wakeRunners }: Following) =>
  followProjection({
    db,
    bus,
    resource: k8sClusters,
    table: 'k8s_clusters_seen',
    columns: [
      'env_id',
      'name',
      'is_ok',
      'ignore',
      'last_seen_at',
      'ingress_domain',
      'ingress_class',
      'ingress_tls_secret_name',
    ],
    onApplied: async ({ id, operation, row }, tx) => {
      const { env_id, is_ok } = ClusterNews.parse(row);
      if (operation !== 'DELETE' && env_id !== null) {
        await writingStore(tx).deploymentChanges.followEnv(id, env_id);
      }
      if (is_ok) wakeRunners();
    },
  });

export const followRegistries = ({ db, bus }: Following) =>
  followProjection({ db, bus, resource: helmRegistries, table: 'helm_registries_seen', columns: ['kind_id'] });

export const followCharts = ({ db, bus }: Following) =>
  followProjection({
    db,
    bus,
    resource: helmCharts,
    table: 'helm_charts_seen',
    columns: ['helm_registry_id', 'image_tag', 'available', 'values_ui', 'features', 'error'],
  });

export const followKinds = ({ db, bus }: Following) =>
  followProjection({ db, bus, resource: deploymentKinds, table: 'deployment_kinds_seen', columns: ['name'] });

/** Changed placement is a change of everything that runs there (decision 6). */
export const followEnvs = ({ db, bus, wakeRunners }: Following) =>
  followProjection({
    db,
    bus,
    resource: envs,
    table: 'envs_seen',
    columns: ['name', 'node_selector', 'tolerations'],
    onApplied: async ({ operation, row }, tx) => {
      if (operation === 'DELETE') return;
      const env = EnvNews.parse(row);
      const { seen, taskChanges } = writingStore(tx);
      if (!(await seen.placementChanged(env))) return;

      const nobody = { acting_user_id: null, acting_deployment_id: null, requester: null, request_id: null };
      const tasks = await taskChanges.reinstallAllOf(env.id, `The placement of env ${env.name} has changed`, nobody);
      if (tasks.length > 0) wakeRunners();
    },
  });
