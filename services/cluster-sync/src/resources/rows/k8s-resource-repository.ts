import { K8sResource, k8sResources } from '@berth/shared/contracts/resources/k8s-resources';
import { TrackedObject } from '@berth/shared/contracts/resources/k8s-resource-state';
import { isJsonObject } from '@berth/shared/contracts/json';
import type { ListRequest } from '@berth/shared/contracts/paging';
import type { Queries, Transaction } from '@berth/shared/db/database';
import type { Lease } from '@berth/shared/db/leases/lease';
import { equals, equalsIgnoringCase, inEnvs } from '@berth/shared/db/lists/list-filters';
import { listPage } from '@berth/shared/db/lists/list-page';
import { recordStates } from '@berth/shared/db/outbox/outbox';
import { sql } from 'slonik';
import { z } from 'zod';
import type { RowChange } from './change-queue.ts';
import { ClusterLeaseLost } from '../../clusters/cluster-lease-lost.ts';
import { resourceId } from '../objects/resource-id.ts';

export interface K8sResourceFilters {
  cluster_id?: string | undefined;
  deployment_id?: string | undefined;
  kind?: string | undefined;
  name?: string | undefined;
}

const PlacedObject = TrackedObject.extend({ namespace: z.string(), env_id: z.uuid().nullable() });
const resource = sql.type(K8sResource);
const known = sql.type(z.object({ uid: z.string(), kind: z.string(), namespace: z.string(), fingerprint: z.string() }));
const written = sql.type(K8sResource.extend({ is_new: z.boolean() }));
const cluster = sql.type(z.object({ env_id: z.uuid().nullable() }));

const columns = sql.fragment`
  r.id, r.last_updated_at, r.cluster_id, r.deployment_id, r.kind, r.api_version, r.name, r.status_color, r.metadata`;
/** A tracked resource belongs to the env of its cluster. */
const withCluster = sql.fragment`k8s_resources r join k8s_clusters c on c.id = r.cluster_id`;

export const createK8sResourceRepository = (db: Queries) => ({
  list: (filters: K8sResourceFilters, visible: 'all' | readonly string[], request: ListRequest) =>
    listPage(db, {
      row: K8sResource,
      columns,
      from: withCluster,
      ...(visible === 'all' && { counted: sql.fragment`k8s_resources r` }),
      where: [
        equals(sql.fragment`r.cluster_id`, filters.cluster_id),
        equals(sql.fragment`r.deployment_id`, filters.deployment_id),
        equalsIgnoringCase(sql.fragment`r.kind`, filters.kind),
        equalsIgnoringCase(sql.fragment`r.name`, filters.name),
        inEnvs(sql.fragment`c.env_id`, visible),
      ],
      request,
      newestBy: sql.fragment`r.last_updated_at`,
      id: sql.fragment`r.id`,
      bytes: sql.fragment`octet_length(to_json(r)::text)`,
      sortable: {
        last_updated_at: sql.fragment`r.last_updated_at`,
        kind: sql.fragment`r.kind`,
        name: sql.fragment`r.name`,
      },
    }),

  find: (id: string, visible: 'all' | readonly string[]) =>
    db.maybeOne(resource`
      select ${columns} from ${withCluster}
      where ${sql.and([sql.fragment`r.id = ${id}`, inEnvs(sql.fragment`c.env_id`, visible)])}
    `),

  /** Which object of a cluster a visible row is, and the env of that cluster. */
  findObject: (id: string, visible: 'all' | readonly string[]) =>
    db.maybeOne(sql.type(PlacedObject)`
      select r.id, r.cluster_id, r.deployment_id, r.kind, r.name, r.uid, r.namespace, c.env_id from ${withCluster}
      where ${sql.and([sql.fragment`r.id = ${id}`, inEnvs(sql.fragment`c.env_id`, visible)])}
    `),

  object: (id: string) =>
    db.maybeOne(sql.type(TrackedObject)`
      select id, cluster_id, deployment_id, kind, name, uid from k8s_resources where id = ${id}
    `),

  known: (clusterId: string) =>
    db.any(known`select uid, kind, namespace, fingerprint from k8s_resources where cluster_id = ${clusterId}`),

  /** Throws `ClusterLeaseLost` when another replica holds the lease, so that stale state never overwrites newer. */
  save: (clusterId: string, lease: Lease, changes: readonly RowChange[]) =>
    db.transaction(async (tx) => {
      const owned = await tx.maybeOne(cluster`
        select c.env_id from k8s_clusters c join leases l
          on l.name = ${lease.name} and l.holder = ${lease.holder} and l.fence = ${lease.fence}
        where c.id = ${clusterId}
        for share
      `);
      if (!owned) throw new ClusterLeaseLost(clusterId);

      const put = await upsert(tx, clusterId, changes);
      const dropped = await drop(tx, clusterId, changes);
      await noteLostNamespaces(tx, clusterId, put, dropped);
      await recordStates(tx, k8sResources, [
        ...put.map(({ is_new, ...row }) => ({
          id: row.id,
          env_id: owned.env_id,
          operation: is_new ? ('INSERT' as const) : ('UPDATE' as const),
          row,
        })),
        ...dropped.map((row) => ({ id: row.id, env_id: owned.env_id, operation: 'DELETE' as const, row })),
      ]);
    }),
});
export type K8sResourceRepository = ReturnType<typeof createK8sResourceRepository>;

/** How long the deletion of a namespace may take before somebody is informed. */
const deletionMs = 60_000;

/** What becomes of the deployments of these namespaces is decided later, and must not be forgotten if this process ends. */
async function noteLostNamespaces(
  tx: Transaction,
  clusterId: string,
  put: readonly K8sResource[],
  dropped: readonly K8sResource[],
): Promise<void> {
  const isNamespace = ({ kind }: K8sResource) => kind === 'Namespace';
  const lost = [
    ...dropped.filter(isNamespace).map((row) => ({ ...row, in_ms: 0 })),
    ...put.filter((row) => isNamespace(row) && isBeingDeleted(row)).map((row) => ({ ...row, in_ms: deletionMs })),
  ];
  if (lost.length === 0) return;
  const rows = lost.map(({ name, deployment_id, in_ms }) => ({ name, deployment_id, in_ms }));
  await tx.query(sql.type(z.object({}))`
    insert into lost_namespaces (cluster_id, namespace, deployment_id, due_at)
    select ${clusterId}::uuid, name, deployment_id, now() + min(in_ms) * interval '1 millisecond'
    from jsonb_to_recordset(${sql.jsonb(rows)}) as lost(name text, deployment_id uuid, in_ms int)
    group by name, deployment_id
    on conflict (cluster_id, namespace, deployment_id) do update set due_at = least(lost_namespaces.due_at, excluded.due_at)
  `);
}

const isBeingDeleted = ({ metadata }: K8sResource): boolean =>
  isJsonObject(metadata) && metadata['deletionTimestamp'] !== undefined;

async function upsert(tx: Transaction, clusterId: string, changes: readonly RowChange[]) {
  const rows = changes.flatMap(({ put }) => (put ? [{ id: resourceId(clusterId, put.uid), ...put }] : []));
  if (rows.length === 0) return [];
  return await tx.any(written`
    insert into k8s_resources as r (id, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid,
      namespace, fingerprint)
    select id, ${clusterId}::uuid, deployment_id, kind, api_version, name, status_color, metadata, uid, namespace,
      fingerprint
    from jsonb_to_recordset(${sql.jsonb(rows)}) as put(id uuid, deployment_id uuid, kind text, api_version text,
      name text, status_color text[], metadata jsonb, uid text, namespace text, fingerprint text)
    order by id
    on conflict (id) do update set
      last_updated_at = now(), deployment_id = excluded.deployment_id, kind = excluded.kind,
      api_version = excluded.api_version, name = excluded.name, status_color = excluded.status_color,
      metadata = excluded.metadata, namespace = excluded.namespace, fingerprint = excluded.fingerprint
    where r.fingerprint <> excluded.fingerprint
    returning ${columns}, r.xmax = 0 as is_new
  `);
}

async function drop(tx: Transaction, clusterId: string, changes: readonly RowChange[]) {
  const ids = changes.flatMap(({ uid, put }) => (put ? [] : [resourceId(clusterId, uid)]));
  if (ids.length === 0) return [];
  return await tx.any(
    resource`delete from k8s_resources r where r.id = any(${sql.array(ids, 'uuid')}) returning ${columns}`,
  );
}
