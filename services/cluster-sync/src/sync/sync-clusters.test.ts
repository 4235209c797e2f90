import type { Database } from '@berth/shared/db/database';
import { whileHolding } from '@berth/shared/db/leases/while-holding';
import { type OpenTestDatabase, openTestDatabase } from '@berth/shared/testing/open-test-database';
import { silentLog } from '@berth/shared/testing/test-bus';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createClusterDirectory } from '../discovery/cluster-directory.ts';
import { NotOurCluster } from '../clusters/cluster-lease-lost.ts';
import { createClusterRepository } from '../clusters/cluster-repository.ts';
import { leaseNameOf } from '../clusters/lease-name-of.ts';
import type { TendedCluster } from './sync-cluster.ts';
import { tendClusters } from './sync-clusters.ts';

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
  await db.query(sql.unsafe`truncate k8s_clusters, k8s_resources, leases`);
  await createClusterRepository(db).upsert({ provider_id: 'kubeconfig:a', name: 'a', region_name: 'r', ignore: false });
});
afterEach(async () => {
  for (const replica of replicas) await replica.stop();
});

interface Replica {
  /** What it tends now. */
  readonly tends: Set<TendedCluster>;
  readonly begun: TendedCluster[];
  reach(port: number | null): void;
  /** What `tend` does instead of waiting for its end. */
  fail: Error | null;
  stop(): Promise<void>;
}

function startReplica(holder: string): Replica {
  const stopping = new AbortController();
  const directory = createClusterDirectory();
  const tends = new Set<TendedCluster>();
  const begun: TendedCluster[] = [];
  const running = tendClusters({
    clusterRepository: createClusterRepository(db),
    directory,
    log: silentLog,
    lookMs: 20,
    leaseRetryMs: 50,
    whileHolding: (id, signal, work) =>
      whileHolding(db, { name: leaseNameOf(id), holder, ttlMs: 2_000, heartbeatMs: 100, marginMs: 200, signal }, work),
    tend: async (cluster, signal) => {
      begun.push(cluster);
      if (replica.fail) throw replica.fail;
      tends.add(cluster);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      tends.delete(cluster);
    },
  })(stopping.signal);

  const replica: Replica = {
    tends,
    begun,
    fail: null,
    reach(port) {
      const access = { server: `https://127.0.0.1:${port}`, ca: null, token: 't', certificate: null };
      const cluster = { provider_id: 'kubeconfig:a', name: 'a', region_name: 'r', refused: null };
      directory.replace(port === null ? [] : [{ ...cluster, access }]);
    },
    async stop() {
      stopping.abort();
      await running;
      directory[Symbol.dispose]();
    },
  };
  replica.reach(1);
  replicas.push(replica);
  return replica;
}

const tending = (replica: Replica, count: number) =>
  vi.waitFor(() => expect(replica.tends.size).toBe(count), { timeout: 10_000, interval: 10 });

test('one replica looks after a cluster, and the next takes over when it stops', async () => {
  const first = startReplica('first');
  await tending(first, 1);
  const second = startReplica('second');
  await vi.waitFor(() => expect(first.tends.size + second.tends.size).toBe(1));

  await first.stop();

  await tending(second, 1);
  expect(first.tends.size).toBe(0);
  const [before, after] = [first.begun[0], second.begun[0]];
  expect(after?.lease.fence).toBeGreaterThan(before?.lease.fence ?? 0);
});

test('the lease of a replica that died without a word is free after its time', async () => {
  const { items } = await createClusterRepository(db).list({}, 'all', {});
  await db.query(sql.unsafe`
    insert into leases (name, holder, until, fence)
    values (${leaseNameOf(items[0]?.id ?? '')}, 'dead', now() + interval '1 s', 7)
  `);

  const replica = startReplica('alive');

  await tending(replica, 1);
  expect(replica.begun[0]?.lease.fence).toBe(8);
});

test('a changed address or ignore flag restarts the work on a cluster', async () => {
  const replica = startReplica('me');
  await tending(replica, 1);

  replica.reach(2);
  await vi.waitFor(() => expect(replica.begun.map(({ api }) => api.server)).toContain('https://127.0.0.1:2'));
  await db.query(sql.unsafe`update k8s_clusters set ignore = true`);
  await vi.waitFor(() => expect(replica.begun.map(({ ignore }) => ignore)).toContain(true));

  await tending(replica, 1);
});

test('a cluster that is no longer configured, or deleted, is let go', async () => {
  const replica = startReplica('me');
  await tending(replica, 1);

  replica.reach(null);
  await tending(replica, 0);
  replica.reach(1);
  await tending(replica, 1);
  await db.query(sql.unsafe`delete from k8s_clusters`);

  await tending(replica, 0);
  expect(replica.begun).toHaveLength(2);
});

test('tending a cluster is restarted after a failure', async () => {
  const replica = startReplica('me');
  replica.fail = new NotOurCluster('a');
  await vi.waitFor(() => expect(replica.begun.length).toBeGreaterThan(1));

  replica.fail = null;

  await tending(replica, 1);
});
