import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import { K8sCluster, k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { K8sResource, k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import type { ListRequest } from '@berth/contracts/definition/paging';
import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import type { Queries, Transaction } from '@berth/db/database';
import { equalsIgnoringCase, inEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { recordStates, type StateChange } from '@berth/db/outbox/outbox';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';
import { z } from 'zod';
import type { NewCluster } from './new-cluster.ts';
import { healthAfter, type ProbeResult, silenceMs } from './cluster-health.ts';
import { leaseNameOf } from './lease-name-of.ts';

const cluster = sql.type(K8sCluster);
const resource = sql.type(K8sResource);
const withHealth = sql.type(
  K8sCluster.extend({
    last_failure: z.string().nullable(),
    published_seen_at: z.iso.datetime(),
    now: z.iso.datetime(),
  }),
);
const synced = sql.type(z.object({ id: z.uuid(), provider_id: z.string(), name: z.string(), ignore: z.boolean() }));
const listed = sql.type(z.object({ id: z.uuid(), provider_id: z.string(), name: z.string(), region_name: z.string() }));
const identified = sql.type(z.object({ id: z.uuid() }));
const usage = sql.type(z.object({ count: z.number().int(), names: z.array(z.string()) }));

const observed = sql.type(
  z.object({ name: z.string(), state: z.enum(['ok', 'behind', 'not_ok', 'ignored']), at: z.number() }),
);

const columns = sql.fragment`
  id, env_id, provider_id, created_at, last_seen_at, name, region_name, is_ok, not_ok_reason, ignore, ingress_domain,
  ingress_class, ingress_tls_secret_name, metrics_url, metrics_datasource_name`;
const resourceColumns = sql.fragment`
  id, last_updated_at, cluster_id, deployment_id, kind, api_version, name, status_color, metadata`;

export interface ClusterFilters {
  /** Null selects clusters without an env. */
  env_id?: string | null | undefined;
  name?: string | undefined;
}

export const createClusterRepository = (db: Queries) => ({
  list: (filters: ClusterFilters, visible: VisibleEnvs, request: ListRequest) =>
    listPage(db, {
      row: K8sCluster,
      columns,
      from: sql.fragment`k8s_clusters`,
      where: [
        equalsIgnoringCase(sql.fragment`name`, filters.name),
        inEnvs(sql.fragment`env_id`, visible, filters.env_id),
      ],
      request,
      sortable: {
        created_at: sql.fragment`created_at`,
        name: sql.fragment`name`,
        region_name: sql.fragment`region_name`,
        last_seen_at: sql.fragment`last_seen_at`,
        is_ok: sql.fragment`is_ok`,
      },
    }),

  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(cluster`
      select ${columns} from k8s_clusters
      where ${sql.and([sql.fragment`id = ${id}`, inEnvs(sql.fragment`env_id`, visible)])}
    `),

  /** All clusters; there are hundreds at most. */
  all: () => db.any(synced`select id, provider_id, name, ignore from k8s_clusters order by created_at, id`),

  /** The state of each cluster, and when it last answered, in seconds. `behind`: it answers, but its watches have not caught up. */
  observed: () =>
    db.any(observed`
      select name, extract(epoch from last_seen_at)::float8 as at,
        case when ignore then 'ignored' when not is_ok then 'not_ok' when not followed then 'behind' else 'ok' end as state
      from k8s_clusters
    `),

  /** The clusters of one provider, by the prefix of their `provider_id`. */
  ofProvider: (prefix: string) =>
    db.any(listed`
      select id, provider_id, name, region_name from k8s_clusters where starts_with(provider_id, ${prefix})
    `),

  usageOfEnv: (envId: string) =>
    db.one(usage`
      select count(*) as count, coalesce((array_agg(name order by name))[1:10], '{}') as names
      from k8s_clusters where env_id = ${envId}
    `),

  /** Clusters that are marked ok but have not answered for too long, whichever replica probes them. */
  silent: () =>
    db.any(identified`
      select id from k8s_clusters
      where is_ok and last_seen_at <= now() - ${silenceMs} * interval '1 millisecond'
    `),

  /** Stores a discovered cluster. Every replica discovers it, so an existing row only gets the new names. */
  upsert: ({ provider_id, name, region_name, ignore }: NewCluster) =>
    db.transaction(async (tx) => {
      const [row] = await tx.any(sql.type(K8sCluster.extend({ is_new: z.boolean() }))`
        insert into k8s_clusters as c (provider_id, name, region_name, ignore)
        values (${provider_id}, ${name}, ${region_name}, ${ignore})
        on conflict (provider_id) do update set name = excluded.name, region_name = excluded.region_name
          where (c.name, c.region_name) <> (excluded.name, excluded.region_name)
        returning ${columns}, c.xmax = 0 as is_new
      `);
      if (!row) return;
      const { is_new, ...found } = row;
      const published = publishing(tx, k8sClusters);
      if (is_new) published.inserted(found);
      else published.updated(found);
    }),

  /** Records the result of a probe, or the lack of one. Ignores a cluster that no longer exists. */
  recordProbe: (id: string, result: ProbeResult) =>
    db.transaction(async (tx) => {
      const row = await tx.maybeOne(withHealth`
        select ${columns}, last_failure, published_seen_at, clock_timestamp() as now
        from k8s_clusters where id = ${id} for no key update
      `);
      const after = row && healthAfter(row, result, row.now);
      if (!after) return;

      const { is_ok, not_ok_reason, last_seen_at, last_failure, published_seen_at } = after.health;
      const updated = await tx.one(cluster`
        update k8s_clusters set is_ok = ${is_ok}, not_ok_reason = ${not_ok_reason}, last_seen_at = ${last_seen_at},
          last_failure = ${last_failure}, published_seen_at = ${published_seen_at}
        where id = ${id} returning ${columns}
      `);
      if (after.publish) publishing(tx, k8sClusters).updated(updated);
    }),

  lock: (id: string) => db.maybeOne(cluster`select ${columns} from k8s_clusters where id = ${id} for no key update`),

  /** Also blocks transactions that are about to refer to the cluster. */
  lockToRemove: (id: string) => db.maybeOne(cluster`select ${columns} from k8s_clusters where id = ${id} for update`),

  /** Takes clusters out of a deleted env. Auth refuses to delete an env with clusters; this handles one assigned since. */
  releaseEnv: (envId: string) =>
    db.transaction(async (tx) => {
      const released = await tx.any(cluster`
        update k8s_clusters set env_id = null where env_id = ${envId} returning ${columns}
      `);
      const published = publishing(tx, k8sClusters);
      for (const row of released) await publishResources(tx, published.updated(row));
    }),
});
export type ClusterRepository = ReturnType<typeof createClusterRepository>;

/** Reads in a transaction, and the changes that callers request. Each change is published with it. */
export const createClusterChanges = (tx: Transaction) => {
  const published = publishing(tx, k8sClusters);

  return {
    ...createClusterRepository(tx),

    save: (row: K8sCluster) =>
      tx
        .one(cluster`
          update k8s_clusters set env_id = ${row.env_id}, ignore = ${row.ignore},
            followed = followed and not ${row.ignore},
            ingress_domain = ${row.ingress_domain}, ingress_class = ${row.ingress_class},
            ingress_tls_secret_name = ${row.ingress_tls_secret_name}, metrics_url = ${row.metrics_url},
            metrics_datasource_name = ${row.metrics_datasource_name}
          where id = ${row.id} returning ${columns}
        `)
        .catch(
          conflictOn('k8s_clusters_ingress_domain_key', `Another cluster has the ingress domain ${row.ingress_domain}`),
        )
        .then(published.updated),

    publishResources: (row: K8sCluster) => publishResources(tx, row),

    /** Removes the cluster with its tracked resources. */
    remove: async (row: K8sCluster): Promise<void> => {
      const gone = await tx.any(resource`
        delete from k8s_resources where cluster_id = ${row.id} returning ${resourceColumns}
      `);
      recordStates(tx, k8sResources, statesOf(row, 'DELETE', gone));
      await tx.query(identified`delete from k8s_clusters where id = ${row.id}`);
      await tx.query(identified`delete from leases where name = ${leaseNameOf(row.id)}`);
      published.deleted(row);
    },
  };
};
export type ClusterChanges = ReturnType<typeof createClusterChanges>;

/** The env of a cluster decides who may see its tracked resources, so a change of env is published for each of them. */
async function publishResources(tx: Transaction, row: K8sCluster): Promise<void> {
  const rows = await tx.any(resource`select ${resourceColumns} from k8s_resources where cluster_id = ${row.id}`);
  recordStates(tx, k8sResources, statesOf(row, 'UPDATE', rows));
}

const statesOf = ({ env_id }: K8sCluster, operation: StateChange['operation'], rows: readonly K8sResource[]) =>
  rows.map((row) => ({ id: row.id, env_id, operation, row }));
