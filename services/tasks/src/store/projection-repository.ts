import { Id, Json, JsonObject, Timestamp } from '@berth/shared/contracts/fields';
import type { Queries } from '@berth/shared/db/database';
import { sql } from 'slonik';
import { z } from 'zod';

const SeenCluster = z.object({
  id: Id,
  env_id: Id.nullable(),
  name: z.string(),
  is_ok: z.boolean(),
  ignore: z.boolean(),
  last_seen_at: Timestamp,
  ingress_domain: z.string().nullable(),
  ingress_class: z.string().nullable(),
  ingress_tls_secret_name: z.string().nullable(),
});
export type SeenCluster = z.infer<typeof SeenCluster>;

const SeenChart = z.object({
  id: Id,
  kind_id: Id,
  image_tag: z.string(),
  available: z.boolean(),
  error: z.string().nullable(),
  values_ui: JsonObject.nullable(),
  features: JsonObject.nullable(),
  actions_schema: JsonObject.nullable(),
  /** Once it was asked for. */
  digest: z.string().nullable(),
});
export type SeenChart = z.infer<typeof SeenChart>;

const SeenEnv = z.object({ id: Id, name: z.string(), node_selector: Json, tolerations: Json });
type SeenEnv = z.infer<typeof SeenEnv>;

const ClusterInEnv = SeenCluster.pick({
  id: true,
  name: true,
  ingress_domain: true,
  ingress_class: true,
  ingress_tls_secret_name: true,
}).extend({ env: SeenEnv });

const SeenKind = z.object({ id: Id, name: z.string() });

const lockOfEnv = (id: string) => sql.fragment`hashtextextended(${`env ${id}`}, 0)`;

/** The projections of clusters, charts, kinds and envs. */
export const createSeenRepository = (db: Queries) => ({
  /** Held as it is until the transaction ends: what is decided by it is committed before any news of it are taken in. */
  holdCluster: (id: string) =>
    db.maybeOne(sql.type(SeenCluster)`
      select id, env_id, name, is_ok, ignore, last_seen_at, ingress_domain, ingress_class, ingress_tls_secret_name
      from k8s_clusters_seen where id = ${id} and not deleted
      for share
    `),

  /** A cluster with its env; null where it has none. */
  clusterInEnv: (id: string) =>
    db.maybeOne(sql.type(ClusterInEnv)`
      select c.id, c.name, c.ingress_domain, c.ingress_class, c.ingress_tls_secret_name,
        jsonb_build_object(
          'id', e.id, 'name', e.name, 'node_selector', e.node_selector, 'tolerations', e.tolerations
        ) as env
      from k8s_clusters_seen c join envs_seen e on e.id = c.env_id
      where c.id = ${id} and not c.deleted and not e.deleted
    `),

  /** Also where the env itself is not known yet. */
  envOfCluster: (id: string) =>
    db.maybeOneFirst(sql.type(z.object({ env_id: Id.nullable() }))`
      select c.env_id from k8s_clusters_seen c left join envs_seen e on e.id = c.env_id
      where c.id = ${id} and not c.deleted and e.deleted is not true
    `),

  /**
   * False for an env that was deleted. One that no copy is known of yet counts, since its owner was asked. Its end is not
   * applied before the transaction ends.
   */
  holdEnv: async (id: string): Promise<boolean> => {
    await db.query(sql.type(z.object({}))`select pg_advisory_xact_lock_shared(${lockOfEnv(id)})`);
    return !(await db.exists(sql.type(z.object({}))`select from envs_seen where id = ${id} and deleted`));
  },

  /** Waits until nothing holds the env any more. */
  waitForHoldersOfEnv: async (id: string): Promise<void> => {
    await db.query(sql.type(z.object({}))`select pg_advisory_xact_lock(${lockOfEnv(id)})`);
  },

  kind: (id: string) =>
    db.maybeOne(sql.type(SeenKind)`select id, name from deployment_kinds_seen where id = ${id} and not deleted`),

  chart: (id: string) =>
    db.maybeOne(sql.type(SeenChart)`
      select c.id, r.kind_id, c.image_tag, c.available, c.error, c.values_ui, c.features, c.actions_schema, a.digest
      from helm_charts_seen c
      join helm_registries_seen r on r.id = c.helm_registry_id
      left join chart_archive_digests a on a.helm_chart_id = c.id
      where c.id = ${id} and not c.deleted
    `),

  saveDigest: (helm_chart_id: string, digest: string) =>
    db.query(sql.type(z.object({}))`
      insert into chart_archive_digests (helm_chart_id, digest) values (${helm_chart_id}, ${digest})
      on conflict do nothing
    `),

  /** Whether the placement differs from the one that the deployments of the env were last reinstalled with; true once per change. */
  placementChanged: async ({ id, node_selector, tolerations }: Omit<SeenEnv, 'name'>) => {
    const changed = await db.maybeOne(sql.type(z.object({ is_new: z.boolean() }))`
      insert into env_placements (env_id, node_selector, tolerations)
      values (${id}, ${sql.jsonb(node_selector)}, ${sql.jsonb(tolerations)})
      on conflict (env_id) do update
        set node_selector = excluded.node_selector, tolerations = excluded.tolerations
        where (env_placements.node_selector, env_placements.tolerations)
          is distinct from (excluded.node_selector, excluded.tolerations)
      returning (xmax = 0) as is_new
    `);
    return changed !== null && !changed.is_new;
  },
});
export type SeenRepository = ReturnType<typeof createSeenRepository>;
