import type { Database } from '@berth/db/database';
import { acquireLease, type Lease, releaseLease } from '@berth/db/leases/lease';
import { found } from '@berth/contracts/errors';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { silentLog } from '@berth/testing/test-bus';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createClusterRepository } from '../../clusters/cluster-repository.ts';
import { leaseNameOf } from '../../clusters/lease-name-of.ts';
import { createChangeQueue, type RowChange } from './change-queue.ts';
import { createK8sResourceRepository, type K8sResourceRepository } from './k8s-resource-repository.ts';
import { saveInGroups } from './save-in-groups.ts';
import { ClusterLeaseLost } from '../../clusters/cluster-lease-lost.ts';
import { resourceId } from '../objects/resource-id.ts';
import type { TrackedRow } from '../objects/tracked-object.ts';
import { writeChanges } from './write-changes.ts';

const migrations = new URL('../../../migrations/', import.meta.url);
const envA = '11111111-1111-4111-8111-111111111111';
const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';
const Published = z.object({ operation: z.string(), env_id: z.string().nullable(), row: z.any() });

let database: OpenTestDatabase;
let db: Database;
let resources: K8sResourceRepository;
let clusterId: string;
let lease: Lease;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'cluster-sync', migrations });
  ({ db } = database);
  resources = createK8sResourceRepository(db);
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await db.query(sql.unsafe`truncate k8s_clusters, k8s_resources, outbox, leases cascade`);
  clusterId = await addCluster('one', envA);
  lease = await takeLease('me');
});

async function addCluster(name: string, envId: string | null): Promise<string> {
  const clusters = createClusterRepository(db);
  await clusters.upsert({ provider_id: name, name, region_name: 'r', ignore: false });
  const { items } = await clusters.list({ name }, 'all', {});
  const { id } = found(items[0], 'cluster');
  await db.query(sql.unsafe`update k8s_clusters set env_id = ${envId} where id = ${id}`);
  return id;
}

const takeLease = async (holder: string): Promise<Lease> =>
  found(await acquireLease(db, { name: leaseNameOf(clusterId), holder, ttlMs: 60_000 }), 'lease');

const put = (
  uid: string,
  { fingerprint = 'f1', ...more }: Partial<TrackedRow & { fingerprint: string }> = {},
): RowChange => {
  const row: TrackedRow = {
    uid,
    namespace: 'web-one',
    deployment_id: deploymentId,
    kind: 'Pod',
    api_version: 'v1',
    name: uid,
    status_color: ['Success', 'Danger'],
    metadata: { labels: { app: 'web' } },
    ...more,
  };
  const { namespace, kind } = row;
  return { uid, put: { uid, namespace, kind, fingerprint, row: JSON.stringify(row) } };
};
const save = (...changes: RowChange[]) => saveInGroups(resources)({ clusterId, lease, changes });
const all = async () => (await resources.list({}, 'all', {})).items;
const published = () =>
  db.any(sql.type(Published)`
    select operation, env_id, row from outbox where resource = 'k8s_resources' order by operation desc
  `);
const clearOutbox = () => db.query(sql.unsafe`delete from outbox`);

describe('save', () => {
  test('writes new objects and publishes them with the env of their cluster', async () => {
    await save(put('u1'), put('u2'));

    const rows = await all();
    expect(rows.find(({ name }) => name === 'u1')).toMatchObject({
      id: resourceId(clusterId, 'u1'),
      cluster_id: clusterId,
      deployment_id: deploymentId,
      kind: 'Pod',
      api_version: 'v1',
      status_color: ['Success', 'Danger'],
      metadata: { labels: { app: 'web' } },
    });
    expect(await published()).toMatchObject([
      { operation: 'INSERT', env_id: envA },
      { operation: 'INSERT', env_id: envA },
    ]);
  });

  test('writes and publishes nothing when no object changed', async () => {
    await save(put('u1'));
    const before = await all();
    await clearOutbox();

    await save(put('u1'));

    expect(await all()).toEqual(before);
    expect(await published()).toEqual([]);
  });

  test('updates changed objects and deletes removed ones', async () => {
    await save(put('u1'), put('u2'), put('u3'));
    await clearOutbox();
    const idOf = new Map((await all()).map(({ name, id }) => [name, id]));

    await save(put('u1', { name: 'new', fingerprint: 'f2' }), { uid: 'u2' }, { uid: 'unknown' });

    expect((await all()).map(({ name }) => name).sort()).toEqual(['new', 'u3']);
    expect(await published()).toMatchObject([
      { operation: 'UPDATE', row: { id: idOf.get('u1') } },
      { operation: 'DELETE', row: { id: idOf.get('u2') } },
    ]);
  });

  test('writes nothing for a replica that lost its lease', async () => {
    await releaseLease(db, lease);
    await takeLease('other');

    await expect(save(put('u1'))).rejects.toBeInstanceOf(ClusterLeaseLost);
    expect(await all()).toEqual([]);
  });

  test('writes nothing for a deleted cluster', async () => {
    await db.query(sql.unsafe`delete from k8s_clusters`);

    await expect(save(put('u1'))).rejects.toBeInstanceOf(ClusterLeaseLost);
  });

  test('keeps objects with the same uid in two clusters apart', async () => {
    await save(put('u1', { name: 'first' }));
    const first = { clusterId, lease };
    clusterId = await addCluster('two', null);
    lease = await takeLease('me');

    await save(put('u1', { name: 'second' }));
    await save({ uid: 'u1' });

    expect((await all()).map(({ name }) => name)).toEqual(['first']);
    expect(await resources.known(first.clusterId)).toEqual([
      { uid: 'u1', kind: 'Pod', namespace: 'web-one', fingerprint: 'f1' },
    ]);
  });
});

test('an object that Postgres refuses does not block the others', async () => {
  const queue = createChangeQueue(10);
  const stopping = new AbortController();
  for (const uid of ['u1', 'bad', 'u3']) queue.add(put(uid, uid === 'bad' ? { metadata: { nul: 'a\0b' } } : {}));

  const refused: string[] = [];
  const running = writeChanges(
    { queue, log: silentLog, save: (changes) => save(...changes), onRefused: (uid) => refused.push(uid) },
    stopping.signal,
  );
  await vi.waitFor(async () => expect((await all()).map(({ name }) => name).sort()).toEqual(['u1', 'u3']));
  stopping.abort();
  await running;

  expect(refused).toEqual(['bad']);
});

describe('lists', () => {
  beforeEach(() => save(put('u1', { name: 'web' }), put('u2', { name: 'db', kind: 'StatefulSet' })));

  test.for([
    [{ kind: 'pod' }, ['web']],
    [{ name: 'DB' }, ['db']],
    [{ deployment_id: deploymentId }, ['db', 'web']],
    [{ deployment_id: envA }, []],
    [{ cluster_id: envA }, []],
    [{ name: 'w' }, []],
  ] as const)('tracked resources are filtered by %j', async ([filters, names]) => {
    const { items } = await resources.list(filters, 'all', { sort: 'name' });

    expect(items.map(({ name }) => name)).toEqual(names);
  });

  test('a list shows only the tracked resources in the visible envs', async () => {
    const id = resourceId(clusterId, 'u1');

    expect(await resources.list({}, [envA], {})).toMatchObject({ num_total: 2 });
    expect(await resources.list({}, [], {})).toMatchObject({ num_total: 0, items: [] });
    expect(await resources.find(id, [envA])).toMatchObject({ name: 'web' });
    expect(await resources.find(id, [])).toBeNull();
  });

  test('the next page of tracked resources continues where the last one ended', async () => {
    const first = await resources.list({}, 'all', { after: '', per_page: 1 });
    const second = await resources.list({}, 'all', { after: first.next ?? '', per_page: 1 });

    expect([...first.items, ...second.items].map(({ name }) => name).sort()).toEqual(['db', 'web']);
    expect(second.next).toBeNull();
  });
});
