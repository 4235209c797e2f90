import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type FakeApiServer, startFakeApiServer } from '@berth/devstack/testing/fake-api-server';
import { namespaceMetadata, recordNamespace } from '../support/own-namespace.ts';
import { type Replica, type ServiceSurroundings, startSurroundings } from '../support/service-process.ts';

const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';
/** The replicas use the times of production: 35 s, plus a margin for a busy machine. */
const watchedAgainMs = 90_000;

const stack = new AsyncDisposableStack();
let service: ServiceSurroundings;
let folder: string;

beforeAll(async () => {
  service = stack.use(await startSurroundings());
  folder = await mkdtemp(join(tmpdir(), 'berth-lost-replica-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
});
afterAll(() => stack.disposeAsync());

interface Cluster {
  readonly name: string;
  readonly server: FakeApiServer;
  /** Its pods, with their labels. */
  readonly pods: Map<string, string | null>;
}

async function startCluster(name: string): Promise<Cluster> {
  const server = stack.use(await startFakeApiServer());
  const { name: _, ...metadata } = namespaceMetadata('ns', deploymentId);
  server.put('ns', { path: '/api/v1/namespaces', metadata });
  const clusterId = randomUUID();
  await service.db.query(sql.unsafe`
    insert into k8s_clusters (id, provider_id, name, region_name, ignore)
    values (${clusterId}, ${`kubeconfig:${name}`}, ${name}, '', false)
  `);
  await recordNamespace(service.db, { clusterId, name: 'ns', deploymentId });
  return { name, server, pods: new Map() };
}

function putPod({ server, pods }: Cluster, name: string, label: string | null = null): void {
  server.put(name, { metadata: { namespace: 'ns', ...(label !== null && { labels: { label } }) } });
  pods.set(name, label);
}

function removePod({ server, pods }: Cluster, name: string): void {
  server.remove(name, { metadata: { namespace: 'ns' } });
  pods.delete(name);
}

/** Writes the kubeconfig of one replica, so that the test decides when it finds which clusters. */
async function writeKubeconfig(path: string, clusters: readonly Cluster[]): Promise<void> {
  const config = {
    clusters: clusters.map(({ name, server: { access } }) => ({
      name,
      cluster: {
        server: access.server,
        'certificate-authority-data': Buffer.from(access.ca ?? '').toString('base64'),
      },
    })),
    users: [{ name: 'u', user: { token: 'fake' } }],
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: 'u' } })),
  };
  await writeFile(path, JSON.stringify(config));
}

async function startReplica(kubeconfig: string): Promise<Replica> {
  return await service.startReplica({
    CLUSTER_KUBECONFIG: kubeconfig,
    CLUSTERS_IGNORE_NEW: 'false',
    CLUSTER_REDISCOVER_SECONDS: '1',
  });
}

const Stored = z.object({ name: z.string(), label: z.string().nullable() });
async function rowsOf({ name }: Cluster): Promise<Map<string, string | null>> {
  const rows = await service.db.any(sql.type(Stored)`
    select r.name, r.metadata->'labels'->>'label' as label
    from k8s_resources r join k8s_clusters c on c.id = r.cluster_id
    where c.name = ${name} and r.kind = 'Pod'
  `);
  return new Map(rows.map((row) => [row.name, row.label]));
}

const Holder = z.object({ holder: z.string() });
/** The id of the process that syncs a cluster: the second word of the holder of the lease. */
async function holderOf({ name }: Cluster): Promise<number> {
  const row = await service.db.maybeOne(sql.type(Holder)`
    select l.holder from leases l join k8s_clusters c on position(c.id::text in l.name) > 0
    where c.name = ${name} and l.until > clock_timestamp()
  `);
  return Number(row?.holder.split(' ')[1]);
}

const untilRowsEqual = (cluster: Cluster) =>
  vi.waitFor(async () => expect(await rowsOf(cluster)).toEqual(cluster.pods), {
    timeout: watchedAgainMs,
    interval: 100,
  });

test('another replica watches the clusters of one that is killed or paused', async () => {
  const [ofKilled, ofPaused] = [await startCluster('of-killed'), await startCluster('of-paused')];
  const both = [ofKilled, ofPaused];
  for (const cluster of both) for (const pod of ['stays', 'changes', 'goes']) putPod(cluster, pod);
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  await writeKubeconfig(first, [ofKilled]);
  await writeKubeconfig(second, both);
  const killed = await startReplica(first);
  await untilRowsEqual(ofKilled);
  const paused = await startReplica(second);
  await untilRowsEqual(ofPaused);
  await writeKubeconfig(first, both);
  await startReplica(second);
  expect([await holderOf(ofKilled), await holderOf(ofPaused)]).toEqual([killed.pid, paused.pid]);

  process.kill(killed.pid, 'SIGKILL');
  process.kill(paused.pid, 'SIGSTOP');
  for (const cluster of both) {
    putPod(cluster, 'comes');
    putPod(cluster, 'changes', 'changed');
    removePod(cluster, 'goes');
  }

  await Promise.all(both.map(untilRowsEqual));

  // The state that it has read but not written is stale by now.
  process.kill(paused.pid, 'SIGCONT');
  for (const cluster of both) putPod(cluster, 'changes', 'again');
  await Promise.all(both.map(untilRowsEqual));
  const holders = await Promise.all(both.map(holderOf));
  expect(holders).not.toContain(killed.pid);
  expect(holders).not.toContain(paused.pid);
  expect(await paused.stop()).toBe(0);
  for (const cluster of both) expect(await rowsOf(cluster)).toEqual(cluster.pods);
}, 400_000);
