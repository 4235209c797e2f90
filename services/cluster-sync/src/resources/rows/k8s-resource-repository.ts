import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import { K8sResource, k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import { TrackedObject } from '@berth/contracts/resources/clusters/k8s-resource-state';
import { isJsonObject } from '@berth/contracts/fields/json';
import type { ListRequest } from '@berth/contracts/definition/paging';
import type { Queries, Transaction } from '@berth/db/database';
import { equals, equalsIgnoringCase, inEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { recordStates } from '@berth/db/outbox/outbox';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import type { RowChange } from './change-queue.ts';
import type { ClusterChanges } from './save-in-groups.ts';
import { markForRollUp } from '../../health/roll-up-mark-repository.ts';
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
const written = sql.type(K8sResource.pick({ id: true, last_updated_at: true }).extend({ is_new: z.boolean() }));
/** The fields of a row that a change contains. */
const SentRow = K8sResource.omit({ id: true, cluster_id: true, last_updated_at: true }).strip();
const cluster = sql.type(z.object({ id: z.uuid(), env_id: z.uuid().nullable() }));

const columns = sql.fragment`
  r.id, r.last_updated_at, r.cluster_id, r.deployment_id, r.kind, r.api_version, r.name, r.status_color, r.metadata`;
/** A tracked resource belongs to the env of its cluster. */
const withCluster = sql.fragment`k8s_resources r join k8s_clusters c on c.id = r.cluster_id`;

export const createK8sResourceRepository = (db: Queries) => ({
  list: (filters: K8sResourceFilters, visible: VisibleEnvs, request: ListRequest) =>
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

  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(resource`
      select ${columns} from ${withCluster}
      where ${sql.and([sql.fragment`r.id = ${id}`, inEnvs(sql.fragment`c.env_id`, visible)])}
    `),

  /** The object of a visible row, and the env of its cluster. */
  findObject: (id: string, visible: VisibleEnvs) =>
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

  /**
   * Writes the changes of clusters whose leases this process holds, so that stale state never overwrites newer. Returns the ids
   * of the others.
   */
  saveTogether: (group: readonly ClusterChanges[]): Promise<ReadonlySet<string>> =>
    db.transaction(async (tx) => {
      const owned = await ownedIn(tx, group);
      const lost = new Set(group.map(({ clusterId }) => clusterId).filter((id) => !owned.has(id)));
      const changes = group
        .filter(({ clusterId }) => !lost.has(clusterId))
        .flatMap(({ clusterId, changes: own }) => own.map((change) => ({ ...change, clusterId })));

      const changed = await upsert(tx, changes);
      const gone = await drop(tx, changes);
      const dropped = gone.map(({ namespace: _namespace, ...row }) => row);
      const put = rowsOf(changes, changed);
      await noteLostNamespaces(tx, put, dropped);
      await markForRollUp(tx, [...placesOf(changes, put), ...gone]);
      const envOf = ({ cluster_id }: K8sResource) => owned.get(cluster_id) ?? null;
      recordStates(tx, k8sResources, [
        ...put.map(({ is_new, ...row }) => ({
          id: row.id,
          env_id: envOf(row),
          operation: is_new ? ('INSERT' as const) : ('UPDATE' as const),
          row,
        })),
        ...dropped.map((row) => ({ id: row.id, env_id: envOf(row), operation: 'DELETE' as const, row })),
      ]);
      return lost;
    }),
});
export type K8sResourceRepository = ReturnType<typeof createK8sResourceRepository>;

type ClusterChange = RowChange & { readonly clusterId: string };

/** The envs of the clusters whose leases this process holds, by id. Locks leases and clusters for the transaction. */
async function ownedIn(tx: Transaction, group: readonly ClusterChanges[]): Promise<Map<string, string | null>> {
  const held = group.map(({ clusterId, lease: { name, holder, fence } }) => ({ id: clusterId, name, holder, fence }));
  const rows = await tx.any(cluster`
    select c.id, c.env_id
    from jsonb_to_recordset(${sql.jsonb(held)}) as held(id uuid, name text, holder text, fence bigint)
    join leases l on l.name = held.name and l.holder = held.holder and l.fence = held.fence
    join k8s_clusters c on c.id = held.id
    order by c.id
    for share of c, l
  `);
  return new Map(rows.map(({ id, env_id }) => [id, env_id]));
}

/** How long the deletion of a namespace may take before it is reported. */
const deletionMs = 60_000;

/** Stores lost namespaces, so that they survive a restart; the verdict on their deployments follows later. */
async function noteLostNamespaces(
  tx: Transaction,
  put: readonly K8sResource[],
  dropped: readonly K8sResource[],
): Promise<void> {
  const isNamespace = ({ kind }: K8sResource) => kind === 'Namespace';
  const lost = [
    ...dropped.filter(isNamespace).map((row) => ({ ...row, in_ms: 0 })),
    ...put.filter((row) => isNamespace(row) && isBeingDeleted(row)).map((row) => ({ ...row, in_ms: deletionMs })),
  ];
  if (lost.length === 0) return;
  const rows = lost.map(({ cluster_id, name, deployment_id, in_ms }) => ({ cluster_id, name, deployment_id, in_ms }));
  await tx.query(statement`
    insert into lost_namespaces (cluster_id, namespace, deployment_id, due_at)
    select cluster_id, name, deployment_id, now() + min(in_ms) * interval '1 millisecond'
    from jsonb_to_recordset(${sql.jsonb(rows)}) as lost(cluster_id uuid, name text, deployment_id uuid, in_ms int)
    group by cluster_id, name, deployment_id
    on conflict (cluster_id, namespace, deployment_id) do update set due_at = least(lost_namespaces.due_at, excluded.due_at)
  `);
}

const isBeingDeleted = ({ metadata }: K8sResource): boolean =>
  isJsonObject(metadata) && metadata['deletionTimestamp'] !== undefined;

interface Written {
  readonly id: string;
  readonly last_updated_at: string;
  readonly is_new: boolean;
}

const rowIdOf = ({ clusterId, uid }: ClusterChange): string => resourceId(clusterId, uid);

async function upsert(tx: Transaction, changes: readonly ClusterChange[]): Promise<readonly Written[]> {
  const rows = changes.flatMap((change) => {
    const { clusterId, put } = change;
    if (!put) return [];
    const head = JSON.stringify({ id: rowIdOf(change), cluster_id: clusterId, fingerprint: put.fingerprint });
    // The row is JSON already.
    return [`${head.slice(0, -1)},"row":${put.row}}`];
  });
  if (rows.length === 0) return [];
  return await tx.any(written`
    insert into k8s_resources as r (id, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid,
      namespace, fingerprint, health, health_since)
    select put.id, put.cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid, namespace,
      put.fingerprint, health, now()
    from jsonb_to_recordset(${`[${rows.join(',')}]`}::jsonb) as put(id uuid, cluster_id uuid, fingerprint text, row jsonb),
      jsonb_to_record(put.row) as tracked(deployment_id uuid, kind text, api_version text, name text,
        status_color text[], metadata jsonb, uid text, namespace text, health text)
    order by put.id
    on conflict (id) do update set
      last_updated_at = now(), deployment_id = excluded.deployment_id, kind = excluded.kind,
      api_version = excluded.api_version, name = excluded.name, status_color = excluded.status_color,
      metadata = excluded.metadata, namespace = excluded.namespace, fingerprint = excluded.fingerprint,
      health = excluded.health,
      health_since = case when r.health is not distinct from excluded.health then r.health_since else now() end
    where r.fingerprint <> excluded.fingerprint
    returning r.id, r.last_updated_at, r.xmax = 0 as is_new
  `);
}

/** Builds the written rows from the sent ones, instead of reading back up to 32 KiB for each. */
function rowsOf(changes: readonly ClusterChange[], changed: readonly Written[]) {
  const sent = new Map(changes.map((change) => [rowIdOf(change), change]));
  return changed.flatMap(({ id, ...more }) => {
    const { clusterId, put } = sent.get(id) ?? {};
    return put && clusterId !== undefined
      ? [{ id, cluster_id: clusterId, ...SentRow.parse(JSON.parse(put.row)), ...more }]
      : [];
  });
}

function placesOf(changes: readonly ClusterChange[], put: readonly K8sResource[]) {
  const namespaces = new Map(changes.map((change) => [rowIdOf(change), change.put?.namespace]));
  return put.flatMap((row) => {
    const namespace = namespaces.get(row.id);
    return namespace === undefined ? [] : [{ ...row, namespace }];
  });
}

async function drop(tx: Transaction, changes: readonly ClusterChange[]) {
  const ids = changes.flatMap((change) => (change.put ? [] : [rowIdOf(change)]));
  if (ids.length === 0) return [];
  return await tx.any(sql.type(K8sResource.extend({ namespace: z.string() }))`
    delete from k8s_resources r where r.id = any(${sql.array(ids, 'uuid')}) returning ${columns}, r.namespace
  `);
}
