import type { QueuedTasks } from '@berth/contracts/definition/queued-tasks';
import { Id, Json, JsonObject, Timestamp } from '@berth/contracts/fields/fields';
import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

const ProjectedCluster = z.object({
  id: Id,
  env_id: Id.nullable(),
  name: z.string(),
  is_ok: z.boolean(),
  ignore: z.boolean(),
  last_seen_at: Timestamp,
  /** Its owner is about to delete or move it. */
  is_closed: z.boolean(),
  ingress_domain: z.string().nullable(),
  ingress_class: z.string().nullable(),
  ingress_tls_secret_name: z.string().nullable(),
});
export type ProjectedCluster = z.infer<typeof ProjectedCluster>;

const ProjectedChart = z.object({
  id: Id,
  kind_id: Id,
  image_tag: z.string(),
  available: z.boolean(),
  error: z.string().nullable(),
  values_ui: JsonObject.nullable(),
  features: JsonObject.nullable(),
  actions_schema: JsonObject.nullable(),
  /** The archive's digest; null until the archive was first requested. */
  digest: z.string().nullable(),
});
export type ProjectedChart = z.infer<typeof ProjectedChart>;

const ProjectedEnv = z.object({ id: Id, name: z.string(), node_selector: Json, tolerations: Json });
type ProjectedEnv = z.infer<typeof ProjectedEnv>;

const ClusterInEnv = ProjectedCluster.pick({
  id: true,
  name: true,
  ingress_domain: true,
  ingress_class: true,
  ingress_tls_secret_name: true,
}).extend({ env: ProjectedEnv });

const Queued = z.strictObject({ ids: z.array(Id), count: z.number().int() }) satisfies z.ZodType<QueuedTasks>;

const ProjectedKind = z.object({ id: Id, name: z.string() });

const lockOfEnv = (id: string) => sql.fragment`hashtextextended(${`env ${id}`}, 0)`;

/** The projections of clusters, charts, kinds and envs. */
export const createProjectionRepository = (db: Queries) => ({
  /** Locked until the transaction ends, so updates of the row are applied only after the decision commits. */
  holdCluster: (id: string) =>
    db.maybeOne(sql.type(ProjectedCluster)`
      select id, env_id, name, is_ok, ignore, last_seen_at, ingress_domain, ingress_class, ingress_tls_secret_name,
        coalesce(closed_until > clock_timestamp() and env_id is not distinct from closed_env_id, false) as is_closed
      from k8s_cluster_projection where id = ${id} and not deleted
      for share
    `),

  /**
   * Closes the cluster to new deployments for that time, or until its env changes. Waits for transactions that hold the cluster's
   * lock, so that their deployments are counted.
   */
  closeCluster: (id: string, ms: number) =>
    db.query(statement`
      update k8s_cluster_projection
      set closed_until = clock_timestamp() + ${ms} * interval '1 millisecond', closed_env_id = env_id
      where id = ${id}
    `),

  reopenCluster: (id: string) =>
    db.query(statement`update k8s_cluster_projection set closed_until = null where id = ${id}`),

  /** A cluster with its env; null if it has none. */
  clusterInEnv: (id: string) =>
    db.maybeOne(sql.type(ClusterInEnv)`
      select c.id, c.name, c.ingress_domain, c.ingress_class, c.ingress_tls_secret_name,
        jsonb_build_object(
          'id', e.id, 'name', e.name, 'node_selector', e.node_selector, 'tolerations', e.tolerations
        ) as env
      from k8s_cluster_projection c join env_projection e on e.id = c.env_id
      where c.id = ${id} and not c.deleted and not e.deleted
    `),

  /** Also works before the projection of the env has arrived. */
  envOfCluster: (id: string) =>
    db.maybeOneFirst(sql.type(z.object({ env_id: Id.nullable() }))`
      select c.env_id from k8s_cluster_projection c left join env_projection e on e.id = c.env_id
      where c.id = ${id} and not c.deleted and e.deleted is not true
    `),

  /**
   * False for a deleted env. An env that has no projection yet counts as existing, since its owner confirmed it. Its deletion
   * cannot be applied before the transaction ends.
   */
  holdEnv: async (id: string): Promise<boolean> => {
    await db.query(statement`select pg_advisory_xact_lock_shared(${lockOfEnv(id)})`);
    return !(await db.exists(statement`select from env_projection where id = ${id} and deleted`));
  },

  /** Waits for all locks of the env. */
  waitForHoldersOfEnv: async (id: string): Promise<void> => {
    await db.query(statement`select pg_advisory_xact_lock(${lockOfEnv(id)})`);
  },

  kind: (id: string) =>
    db.maybeOne(
      sql.type(ProjectedKind)`select id, name from deployment_kind_projection where id = ${id} and not deleted`,
    ),

  chart: (id: string) =>
    db.maybeOne(sql.type(ProjectedChart)`
      select c.id, r.kind_id, c.image_tag, c.available, c.error, c.values_ui, c.features, c.actions_schema, a.digest
      from helm_chart_projection c
      join helm_registry_projection r on r.id = c.helm_registry_id
      left join chart_archive_digests a on a.helm_chart_id = c.id
      where c.id = ${id} and not c.deleted
    `),

  saveDigest: (helm_chart_id: string, digest: string) =>
    db.query(statement`
      insert into chart_archive_digests (helm_chart_id, digest) values (${helm_chart_id}, ${digest})
      on conflict do nothing
    `),

  /**
   * Whether the placement differs from the one with which the deployments of the env were last reinstalled; true once per change.
   */
  placementChanged: async ({ id, node_selector, tolerations }: Omit<ProjectedEnv, 'name'>) => {
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

  /** The Reinstalls that the last change of a placement queued, for the answer to that change. */
  saveReinstallsOfPlacement: (env_id: string, version: number, queued: QueuedTasks) =>
    db.query(statement`
      update env_placements set version = ${version}, queued_tasks = ${sql.jsonb({ ...queued })} where env_id = ${env_id}
    `),

  /** Null if this version of the env did not change its placement, or if a later one did as well. */
  reinstallsOfPlacement: async (env_id: string, version: number): Promise<QueuedTasks | null> => {
    const row = await db.maybeOne(sql.type(z.object({ queued_tasks: Queued }))`
      select queued_tasks from env_placements where env_id = ${env_id} and version = ${version}
    `);
    return row?.queued_tasks ?? null;
  },
});
export type ProjectionRepository = ReturnType<typeof createProjectionRepository>;
