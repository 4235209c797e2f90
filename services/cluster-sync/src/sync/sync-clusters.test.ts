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
  await createClusterRepository(db).upsert({ provider_id: 'kubeconfig:a', name: 'a', region_name: 'r', ignore: false });
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

function startReplica(holder: string): Replica {
  const stopping = new AbortController();
  const directory = createClusterDirectory();
  const syncs = new Set<SyncedCluster>();
  const begun: SyncedCluster[] = [];
  const running = syncClusters({
    clusterRepository: createClusterRepository(db),
    directory,
    log: silentLog,
    refreshMs: 20,
    leaseRetryMs: 50,
    whileHolding: (id, signal, work) =>
      // Long enough that a stalled machine does not lose the lease.
      whileHolding(db, { name: leaseNameOf(id), holder, ttlMs: 60_000, heartbeatMs: 100, marginMs: 200, signal }, work),
    sync: async (cluster, signal) => {
      begun.push(cluster);
      if (replica.fail) throw replica.fail;
      syncs.add(cluster);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      syncs.delete(cluster);
    },
  })(stopping.signal);

  const replica: Replica = {
    syncs,
    begun,
    fail: null,
    connectTo(port) {
      const access = { server: `https://127.0.0.1:${port}`, ca: null, token: 't', certificate: null };
      const cluster = { provider_id: 'kubeconfig:a', name: 'a', region_name: 'r', refused: null };
      directory.replace('kubeconfig:', { clusters: port === null ? [] : [{ ...cluster, access }], unread: [] });
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
