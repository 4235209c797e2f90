import type { K8sCluster, K8sClusterChanges } from '@berth/contracts/resources/clusters/k8s-clusters';
import type { Database } from '@berth/db/database';
import { acquireLease } from '@berth/db/leases/lease';
import { found } from '@berth/contracts/errors';
import { inTransactionOf } from '@berth/db/in-transaction';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { deleteCluster, updateCluster } from './change-cluster.ts';
import { storeOf } from '../store.ts';
import { type ClusterRepository, createClusterRepository } from './cluster-repository.ts';
import { leaseNameOf } from './lease-name-of.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const envA = '11111111-1111-4111-8111-111111111111';
const envB = '22222222-2222-4222-8222-222222222222';
const one = { provider_id: 'kubeconfig:one', name: 'one', region_name: 'here', ignore: true };
const two = { provider_id: 'kubeconfig:two', name: 'Two', region_name: 'here', ignore: false };
const Published = z.object({
  resource: z.string(),
  operation: z.string(),
  env_id: z.string().nullable(),
  row: z.any(),
});
/** A caller who may do everything. */
const caller = {
  identity: undefined,
  requestId: null,
  permit: () => undefined,
  checkIfMatch: (): void => undefined,
  checkChange: () => undefined,
};

let database: OpenTestDatabase;
let db: Database;
let clusters: ClusterRepository;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'cluster-sync', migrations });
  ({ db } = database);
  clusters = createClusterRepository(db);
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => db.query(sql.unsafe`truncate k8s_clusters, k8s_resources, outbox cascade`));

const published = () =>
  db.any(sql.type(Published)`select resource, operation, env_id, row from outbox order by version`);
const clearOutbox = () => db.query(sql.unsafe`delete from outbox`);

async function add(cluster = one): Promise<K8sCluster> {
  await clusters.upsert(cluster);
  const { items } = await clusters.list({ name: cluster.name }, 'all', {});
  return found(items[0], 'cluster');
}

async function addResource(clusterId: string): Promise<void> {
  await db.query(sql.unsafe`
    insert into k8s_resources (id, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid,
      namespace, fingerprint)
    values (gen_random_uuid(), ${clusterId}, gen_random_uuid(), 'Pod', 'v1', 'p', '{Success}', '{}', 'u', 'n', 'f')
  `);
}

async function change(id: string, changes: K8sClusterChanges): Promise<K8sCluster> {
  const { env_id: envId } = found(await clusters.find(id, 'all'), 'cluster');
  return updateCluster(inTransactionOf(db, storeOf), caller, { id, changes, envId });
}

const longAgo = (id: string) =>
  db.query(sql.unsafe`
    update k8s_clusters set last_seen_at = now() - interval '61 s', published_seen_at = now() - interval '61 s' where id = ${id}
  `);

test('a discovered cluster is not ok before its first probe, has no env, and is published', async () => {
  const cluster = await add();

  expect(cluster).toMatchObject({ ...one, env_id: null, is_ok: false, not_ok_reason: 'not probed yet' });
  expect(await published()).toEqual([{ resource: 'k8s_clusters', operation: 'INSERT', env_id: null, row: cluster }]);
});

test('a cluster that is discovered again gets its new names, and nothing else changes', async () => {
  const cluster = await add();
  await clearOutbox();

  await clusters.upsert({ ...one, ignore: false });
  expect(await published()).toEqual([]);
  await clusters.upsert({ ...one, name: 'uno', ignore: false });

  expect(await clusters.find(cluster.id, 'all')).toEqual({ ...cluster, name: 'uno' });
  expect(await published()).toMatchObject([{ operation: 'UPDATE', row: { name: 'uno' } }]);
});

test('a cluster that replicas discover concurrently is stored once', async () => {
  await Promise.all([clusters.upsert(one), clusters.upsert(one), clusters.upsert(one)]);

  expect(await clusters.list({}, 'all', {})).toMatchObject({ num_total: 1 });
});

test('the first answer of a cluster is published, the next one changes last_seen_at only', async () => {
  const { id } = await add();
  await clearOutbox();

  await clusters.recordProbe(id, { kind: 'answered' });
  expect(await published()).toMatchObject([{ operation: 'UPDATE', row: { is_ok: true, not_ok_reason: null } }]);
  const first = await clusters.find(id, 'all');
  await clearOutbox();
  await clusters.recordProbe(id, { kind: 'answered' });

  expect(await published()).toEqual([]);
  const second = await clusters.find(id, 'all');
  expect(Date.parse(second?.last_seen_at ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.last_seen_at ?? ''));
});

test('a cluster that is silent for a minute is found once and gets the reason of its last failure', async () => {
  const { id } = await add();
  await clusters.recordProbe(id, { kind: 'answered' });
  await clusters.recordProbe(id, {
    kind: 'failed',
    reason: 'it refused the connection',
    cause: 'connection_refused',
  });
  expect(await clusters.silent()).toEqual([]);
  expect(await clusters.find(id, 'all')).toMatchObject({ is_ok: true });

  await longAgo(id);
  expect(await clusters.silent()).toEqual([{ id }]);
  await clusters.recordProbe(id, { kind: 'silent' });

  expect(await clusters.find(id, 'all')).toMatchObject({ is_ok: false, not_ok_reason: 'it refused the connection' });
  expect(await clusters.silent()).toEqual([]);
});

test('a probe of a cluster that was deleted is ignored', async () => {
  await clusters.recordProbe(envA, { kind: 'answered' });

  expect(await published()).toEqual([]);
});

test('an update of a cluster clears fields that are null, and publishes its tracked resources if the env changes', async () => {
  const { id } = await add();
  await addResource(id);
  await change(id, { ingress_class: 'nginx' });
  await clearOutbox();

  const cluster = await change(id, { env_id: envA, ingress_class: null, ignore: false });

  expect(cluster).toMatchObject({ env_id: envA, ingress_class: null, ignore: false, name: 'one' });
  expect(await published()).toMatchObject([
    { resource: 'k8s_resources', operation: 'UPDATE', env_id: envA },
    { resource: 'k8s_clusters', operation: 'UPDATE', env_id: envA },
  ]);
});

test('an update of a cluster without a change is not published', async () => {
  const { id } = await add();
  await clearOutbox();

  await change(id, {});
  await change(id, { ignore: true, env_id: null });

  expect(await published()).toEqual([]);
});

test('the ingress domain of another cluster is refused', async () => {
  const [first, second] = [await add(), await add(two)];
  await change(first.id, { ingress_domain: 'apps.example.com' });

  await expect(change(second.id, { ingress_domain: 'apps.example.com' })).rejects.toMatchObject({
    code: 'conflict',
    message: 'Another cluster has the ingress domain apps.example.com',
  });
});

test('an update of a cluster writes nothing when its env is not the one that was checked', async () => {
  const { id } = await add();
  const update = updateCluster(inTransactionOf(db, storeOf), caller, { id, changes: { ignore: false }, envId: envA });

  await expect(update).rejects.toMatchObject({ code: 'conflict' });
  expect(await clusters.find(id, 'all')).toMatchObject({ ignore: true });
});

test('a list shows only the clusters of the visible envs', async () => {
  const [first, second] = [await add(), await add(two)];
  await change(first.id, { env_id: envA });

  expect((await clusters.list({}, [envA], {})).items.map(({ id }) => id)).toEqual([first.id]);
  expect((await clusters.list({}, [envB], {})).num_total).toBe(0);
  expect((await clusters.list({}, [], {})).num_total).toBe(0);
  expect((await clusters.list({}, 'all', {})).num_total).toBe(2);
  expect(await clusters.find(second.id, [envA])).toBeNull();
});

test('clusters are filtered by env, by a missing env, and by name ignoring case', async () => {
  const [first, second] = [await add(), await add(two)];
  await change(first.id, { env_id: envA });
  const idsOf = async (filters: Parameters<ClusterRepository['list']>[0]) =>
    (await clusters.list(filters, 'all', {})).items.map(({ id }) => id);

  expect(await idsOf({ env_id: envA })).toEqual([first.id]);
  expect(await idsOf({ env_id: null })).toEqual([second.id]);
  expect(await idsOf({ name: 'tWO' })).toEqual([second.id]);
  expect(await idsOf({ name: 'tw' })).toEqual([]);
});

test('removing a cluster removes its tracked resources, and both removals are published', async () => {
  const { id } = await add();
  await addResource(id);
  await acquireLease(db, { name: leaseNameOf(id), holder: 'me', ttlMs: 60_000 });
  await clearOutbox();

  await deleteCluster(inTransactionOf(db, storeOf), caller, id);

  expect(await published()).toMatchObject([
    { resource: 'k8s_resources', operation: 'DELETE' },
    { resource: 'k8s_clusters', operation: 'DELETE', row: { id } },
  ]);
  await expect(deleteCluster(inTransactionOf(db, storeOf), caller, id)).rejects.toMatchObject({ code: 'not_found' });
  expect(await db.any(sql.unsafe`select 1 from leases where name = ${leaseNameOf(id)}`)).toEqual([]);
});

test('a deleted env releases its clusters', async () => {
  const [first, second] = [await add(), await add(two)];
  await change(first.id, { env_id: envA });
  await change(second.id, { env_id: envB });

  await clusters.releaseEnv(envA);

  expect(await clusters.find(first.id, 'all')).toMatchObject({ env_id: null });
  expect(await clusters.find(second.id, 'all')).toMatchObject({ env_id: envB });
});

test('the usage of an env counts its clusters and names ten of them', async () => {
  await db.query(sql.unsafe`
    insert into k8s_clusters (provider_id, name, region_name, ignore, env_id)
    select 'p' || i, 'c' || to_char(i, 'FM00'), 'r', true, ${envA}::uuid from generate_series(1, 12) i
  `);

  expect(await clusters.usageOfEnv(envA)).toMatchObject({ count: 12, names: { length: 10, 0: 'c01', 9: 'c10' } });
  expect(await clusters.usageOfEnv(envB)).toEqual({ count: 0, names: [] });
});
