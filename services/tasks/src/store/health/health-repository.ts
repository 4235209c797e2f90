import { DeploymentHealth } from '@berth/contracts/resources/deployments/deployment-health';
import { PublishedDeployment, deployments } from '@berth/contracts/resources/deployments/deployments';
import { Id, Timestamp } from '@berth/contracts/fields/fields';
import type { Queries, Transaction } from '@berth/db/database';
import { publishing } from '@berth/db/outbox/publishing';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Silence } from '../../engine/health/cluster-silence.ts';
import { publishedColumns } from '../deployments/deployment-repository.ts';

const HeardCluster = z.object({
  id: Id,
  name: z.string(),
  is_ok: z.boolean(),
  ignore: z.boolean(),
  not_ok_reason: z.string().nullable(),
  last_seen_at: Timestamp,
  applied_at: Timestamp,
  now: Timestamp,
});

const Held = z.object({
  id: Id,
  installed_cluster_id: Id.nullable(),
  installed_namespace: z.string().nullable(),
  health: DeploymentHealth.nullable(),
  health_version: z.number().int(),
});

const counted = sql.type(z.object({ env: z.string(), state: z.string(), deployments: z.number().int() }));
const degraded = sql.type(
  z.object({ env: z.string(), cluster: z.string(), deployment: z.string(), seconds: z.number() }),
);
const published = sql.type(PublishedDeployment);
const withId = sql.type(z.object({ id: Id }));

const clusterColumns = sql.fragment`
  id, name, is_ok, ignore, not_ok_reason, last_seen_at, applied_at, clock_timestamp() as now`;

export const createHealthRepository = (db: Queries) => ({
  /** There are hundreds at most. */
  clusters: () =>
    db.any(sql.type(HeardCluster)`select ${clusterColumns} from k8s_cluster_projection where not deleted`),

  clustersById: (ids: readonly string[]) =>
    db.any(sql.type(HeardCluster)`
      select ${clusterColumns} from k8s_cluster_projection where not deleted and id = any(${sql.array([...ids], 'uuid')})
    `),

  /** Clusters with deployments of unknown health. */
  clustersOfUnknown: async () => {
    const rows = await db.any(withId`
      select distinct installed_cluster_id as id from deployments
      where health_state = 'Unknown' and installed_cluster_id is not null
    `);
    return rows.map(({ id }) => id);
  },

  /** In a random order: some may not be reported for a while, and must not hold up the others. */
  unknownOn: async (clusterId: string, limit: number) => {
    const rows = await db.any(withId`
      select id from deployments where health_state = 'Unknown' and installed_cluster_id = ${clusterId}
      order by random() limit ${limit}
    `);
    return rows.map(({ id }) => id);
  },

  counts: () =>
    db.any(counted`
      select coalesce(e.name, '') as env, d.health_state as state, count(*) as deployments
      from deployments d left join env_projection e on e.id = d.env_id
      where d.health_state is not null group by 1, 2
    `),

  /** Degraded for the longest time first. */
  degraded: (limit: number) =>
    db.any(degraded`
      select coalesce(e.name, '') as env, coalesce(c.name, '') as cluster, d.installed_namespace as deployment,
        extract(epoch from now() - (d.health ->> 'since')::timestamptz)::float8 as seconds
      from deployments d left join env_projection e on e.id = d.env_id
        left join k8s_cluster_projection c on c.id = d.installed_cluster_id
      where d.health_state = 'Degraded' and d.installed_namespace is not null
      order by d.health ->> 'since' limit ${limit}
    `),
});

export interface NewHealth {
  readonly id: string;
  readonly health: DeploymentHealth;
  readonly version: number;
}

export const createHealthChanges = (tx: Transaction) => {
  const { updated } = publishing<PublishedDeployment>(tx, deployments);
  // PostgreSQL takes any JSON for a hundred rows, and would rather read the whole table: the ids say how few there are.
  const saved = (rows: readonly NewHealth[]) => sql.fragment`
    update deployments set health = told, health_state = told ->> 'state', health_version = told_version
    from jsonb_to_recordset(${sql.jsonb(rows.map(({ id, health, version }) => ({ told_id: id, told: health, told_version: version })))})
      as r(told_id uuid, told jsonb, told_version bigint)
    where id = told_id and id = any(${sql.array(
      rows.map(({ id }) => id),
      'uuid',
    )})`;

  return {
    ...createHealthRepository(tx),

    /** Locked in the order of ids, as all transactions do. */
    hold: (ids: readonly string[]) =>
      tx.any(sql.type(Held)`
        select id, installed_cluster_id, installed_namespace, health, health_version from deployments
        where id = any(${sql.array([...ids], 'uuid')}) order by id for no key update
      `),

    save: async (rows: readonly NewHealth[]): Promise<void> => {
      if (rows.length > 0) await tx.query(statement`${saved(rows)}`);
    },

    /** Saves a change that followers receive. */
    saveAndPublish: async (rows: readonly NewHealth[]): Promise<void> => {
      if (rows.length > 0) updated(await tx.any(published`${saved(rows)} returning ${publishedColumns}`));
    },

    /** Makes the health of deployments of a cluster unknown, for the given reason; returns how many it changed. */
    hide: async (clusterId: string, { reason, since }: Silence, limit: number): Promise<number> => {
      const hidden = await tx.any(sql.type(PublishedDeployment.extend({ was_unknown: z.boolean() }))`
        with silent as materialized (
          select id as silent_id, health_state is not distinct from 'Unknown' as was_unknown from deployments
          where installed_cluster_id = ${clusterId}
            and (health_state is distinct from 'Unknown' or health ->> 'reason' is distinct from ${reason})
          order by id limit ${limit} for no key update skip locked
        )
        update deployments set
          health = jsonb_build_object('state', 'Unknown', 'reason', ${reason}::text, 'causes', '[]'::jsonb,
            'since', case when was_unknown then health ->> 'since' else ${since}::text end),
          health_state = 'Unknown',
          health_version = greatest(health_version, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
        from silent where id = silent_id
        returning ${publishedColumns}, was_unknown
      `);
      updated(hidden.filter(({ was_unknown }) => !was_unknown).map(({ was_unknown: _was, ...row }) => row));
      return hidden.length;
    },

    /** Nothing is known of these now: no object of theirs is in the cluster. */
    forget: async (clusterId: string, ids: readonly string[]): Promise<void> => {
      if (ids.length === 0) return;
      updated(
        await tx.any(published`
          update deployments set health = null, health_state = null
          where id = any(${sql.array([...ids], 'uuid')}) and health_state = 'Unknown' and installed_cluster_id = ${clusterId}
          returning ${publishedColumns}
        `),
      );
    },
  };
};
