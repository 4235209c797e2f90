import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@berth/db/database';
import { whileHolding } from '@berth/db/leases/while-holding';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { silentLog } from '@berth/testing/test-bus';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createClusterDirectory } from '../discovery/cluster-directory.ts';
import { ClusterLeaseLost } from '../clusters/cluster-lease-lost.ts';
import { createClusterRepository } from '../clusters/cluster-repository.ts';
import { leaseNameOf } from '../clusters/lease-name-of.ts';
import type { SyncedCluster } from './sync-cluster.ts';
import { clusterShare } from './cluster-share.ts';
import { syncClusters } from './sync-clusters.ts';

const migrations = new URL('../../migrations/', import.meta.url);

let database: OpenTestDatabase;
let db: Database;
let replicas: Replica[];

beforeAll(async () => {
  database = await openTestDatabase({ service: 'cluster-sync', migrations });
  ({ db } = database);
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(async () => {
  replicas = [];
  await db.query(sql.unsafe`truncate k8s_clusters, k8s_resources, leases cascade`);
  await add('a');
});
afterEach(async () => {
  for (const replica of replicas) await replica.stop();
});

interface Replica {
  /** The clusters that it syncs now. */
  readonly syncs: Set<SyncedCluster>;
  readonly begun: SyncedCluster[];
  connectTo(port: number | null): void;
  /** Thrown by each sync. */
  fail: Error | null;
  stop(): Promise<void>;
}

const repository = () => createClusterRepository(db);
const add = (name: string) =>
  repository().upsert({ provider_id: `kubeconfig:${name}`, name, region_name: 'r', ignore: false });

interface ReplicaOptions {
  readonly clusters?: readonly string[];
  readonly keepMs?: number;
}

function startReplica(holder: string, { clusters = ['a'], keepMs = 600_000 }: ReplicaOptions = {}): Replica {
  const stopping = new AbortController();
  const directory = createClusterDirectory();
  const syncs = new Set<SyncedCluster>();
  const begun: SyncedCluster[] = [];
  // Long enough that a stalled machine does not lose a lease.
  const share = clusterShare({ db, log: silentLog, holder, newMs: 100, ttlMs: 60_000, heartbeatMs: 50 });
  const sync = syncClusters({
    clusterRepository: repository(),
    directory,
    log: silentLog,
    refreshMs: 20,
    leaseRetryMs: 50,
    keepMs,
    mostOf: share.mostOf,
    whileHolding: (id, options, work) =>
      whileHolding(
        db,
        { name: leaseNameOf(id), holder, ttlMs: 60_000, heartbeatMs: 100, marginMs: 200, ...options },
        work,
      ),
    sync: async (cluster, signal) => {
      begun.push(cluster);
      if (replica.fail) throw replica.fail;
      syncs.add(cluster);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      syncs.delete(cluster);
    },
  });
  const running = Promise.all([sync(stopping.signal), share.keep(stopping.signal)]);

  const replica: Replica = {
    syncs,
    begun,
    fail: null,
    connectTo(port) {
      const access = { server: `https://127.0.0.1:${port}`, ca: null, token: 't', certificate: null };
      const found = clusters.map((name) => ({
        provider_id: `kubeconfig:${name}`,
        name,
        region_name: 'r',
        refused: null,
        access,
      }));
      directory.replace('kubeconfig:', { clusters: port === null ? [] : found, unread: [] });
    },
    async stop() {
      stopping.abort();
      await running;
      directory[Symbol.dispose]();
    },
  };
  replica.connectTo(1);
  replicas.push(replica);
  return replica;
}

const syncing = (replica: Replica, count: number) =>
  vi.waitFor(() => expect(replica.syncs.size).toBe(count), { interval: 10 });

test('one replica syncs a cluster, and the next takes over when it stops', async () => {
  const first = startReplica('first');
  await syncing(first, 1);
  const second = startReplica('second');
  await vi.waitFor(() => expect(first.syncs.size + second.syncs.size).toBe(1));

  await first.stop();

  await syncing(second, 1);
  expect(first.syncs.size).toBe(0);
  const [before, after] = [first.begun[0], second.begun[0]];
  expect(after?.lease.fence).toBeGreaterThan(before?.lease.fence ?? 0);
});

test('the lease of a replica that died can be acquired when it has expired', async () => {
  const { items } = await createClusterRepository(db).list({}, 'all', {});
  await db.query(sql.unsafe`
    insert into leases (name, holder, until, fence)
    values (${leaseNameOf(items[0]?.id ?? '')}, 'dead', now() + interval '1 s', 7)
  `);

  const replica = startReplica('alive');

  await syncing(replica, 1);
  expect(replica.begun[0]?.lease.fence).toBe(8);
});

test('a changed address or ignore flag restarts the sync of a cluster', async () => {
  const replica = startReplica('me');
  await syncing(replica, 1);

  replica.connectTo(2);
  await vi.waitFor(() => expect(replica.begun.map(({ api }) => api.server)).toContain('https://127.0.0.1:2'));
  await db.query(sql.unsafe`update k8s_clusters set ignore = true`);
  await vi.waitFor(() => expect(replica.begun.map(({ ignore }) => ignore)).toContain(true));

  await syncing(replica, 1);
});

test('the sync of a cluster stops when it is no longer configured, or deleted', async () => {
  const replica = startReplica('me');
  await syncing(replica, 1);

  replica.connectTo(null);
  await syncing(replica, 0);
  replica.connectTo(1);
  await syncing(replica, 1);
  await db.query(sql.unsafe`delete from k8s_clusters`);

  await syncing(replica, 0);
  expect(replica.begun).toHaveLength(2);
});

test('the sync of a cluster is restarted after a failure', async () => {
  const replica = startReplica('me');
  replica.fail = new ClusterLeaseLost('a');
  await vi.waitFor(() => expect(replica.begun.length).toBeGreaterThan(1));

  replica.fail = null;

  await syncing(replica, 1);
});

const six = ['a', 'b', 'c', 'd', 'e', 'f'];
const sizes = (...some: Replica[]) => some.map(({ syncs }) => syncs.size);
const untilSizesAre = (expected: number[], ...some: Replica[]) =>
  vi.waitFor(() => expect(sizes(...some)).toEqual(expected), { timeout: 60_000, interval: 20 });

test('new replicas get their share of the clusters from the others, and leave it to them when they stop', async () => {
  for (const name of six) await add(name);
  const first = startReplica('first', { clusters: six, keepMs: 100 });
  await untilSizesAre([6], first);

  const second = startReplica('second', { clusters: six, keepMs: 100 });
  await untilSizesAre([3, 3], first, second);
  const third = startReplica('third', { clusters: six, keepMs: 100 });
  await untilSizesAre([2, 2, 2], first, second, third);
  const names = [first, second, third].flatMap(({ syncs }) => [...syncs].map(({ lease }) => lease.name));
  expect(new Set(names).size).toBe(6);

  await third.stop();

  await untilSizesAre([3, 3], first, second);
});

test('a replica keeps clusters that no other one can connect to', async () => {
  for (const name of six) await add(name);
  const first = startReplica('first', { clusters: six });
  await untilSizesAre([6], first);
  const other = startReplica('other', { clusters: [] });

  // Some of them were left to the other one.
  await vi.waitFor(() => expect(first.begun.length).toBeGreaterThan(6), { timeout: 60_000, interval: 20 });

  await untilSizesAre([6, 0], first, other);
  const begun = first.begun.length;
  await sleep(1_000);
  expect(first.begun).toHaveLength(begun);
});
