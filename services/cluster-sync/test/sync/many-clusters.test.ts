import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Database } from '@berth/db/database';
import { acquireLease } from '@berth/db/leases/lease';
import { found } from '@berth/contracts/errors';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { portOf } from '@berth/testing/network/port-of';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { silentLog } from '@berth/testing/test-bus';
import { atMost } from '@berth/service/waiting/at-most';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ClusterLeaseLost } from '../../src/clusters/cluster-lease-lost.ts';
import { type ClusterExcess, clusterExcess } from '../../src/clusters/cluster-excess.ts';
import { createClusterRepository } from '../../src/clusters/cluster-repository.ts';
import { leaseNameOf } from '../../src/clusters/lease-name-of.ts';
import { createNamespaceRepository } from '../../src/namespaces/namespace-repository.ts';
import { adoptByAnnotation } from '../support/own-namespace.ts';
import { createK8sResourceRepository } from '../../src/resources/rows/k8s-resource-repository.ts';
import { queueRoom } from '../../src/resources/rows/change-queue.ts';
import { saveInGroups } from '../../src/resources/rows/save-in-groups.ts';
import { trackedKinds } from '../../src/resources/objects/tracked-kinds.ts';
import { watchCluster } from '../../src/resources/watch-cluster.ts';
import { type FakeApiServer, failWith, startFakeApiServer } from '@berth/devstack/testing/fake-api-server';

const migrations = new URL('../../migrations/', import.meta.url);
const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';

let database: OpenTestDatabase;
let db: Database;
let stack: AsyncDisposableStack;
let stopping: AbortController;
let room: ReturnType<typeof queueRoom>;
/** The highest number of rows that waited to be written. */
let mostWaiting: number;
let deps: Parameters<typeof watchCluster>[0];

beforeAll(async () => {
  database = await openTestDatabase({ service: 'cluster-sync', migrations });
  ({ db } = database);
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => {
  stack = new AsyncDisposableStack();
  stopping = new AbortController();
  const k8sResourceRepository = createK8sResourceRepository(db);
  room = queueRoom(600);
  mostWaiting = 0;
  const save = saveInGroups(k8sResourceRepository);
  deps = {
    k8sResourceRepository,
    saveChanges: (changes) => {
      mostWaiting = Math.max(mostWaiting, room.size);
      return save(changes);
    },
    saveFollowed: async () => undefined,
    redactRows: async (changes) => changes,
    namespaceRepository: createNamespaceRepository(db),
    adopt: adoptByAnnotation,
    log: silentLog,
    resyncMs: 600_000,
    stallMs: 60_000,
    listInTurn: atMost(2, { awayMs: 300 }),
    queueRoom: room,
  };
});
afterEach(() => stack.disposeAsync());

/** Watches a cluster at an address until the end of the test. Returns its id. */
async function watch(
  name: string,
  access: FakeApiServer['access'],
  excess: ClusterExcess = clusterExcess(),
): Promise<string> {
  const clusters = createClusterRepository(db);
  await clusters.upsert({ provider_id: name, name, region_name: 'r', ignore: false });
  const { id } = found((await clusters.list({ name }, 'all', {})).items[0], 'cluster');
  const lease = found(await acquireLease(db, { name: leaseNameOf(id), holder: 'test', ttlMs: 300_000 }), 'lease');
  const api: KubeApi = stack.use(openKubeApi(access));
  const running = watchCluster(deps, { id, api, lease, excess }, stopping.signal);
  stack.defer(async () => {
    stopping.abort();
    await running;
  });
  return id;
}

const namespaceOf = () => ({
  path: '/api/v1/namespaces',
  metadata: {
    labels: { 'app.kubernetes.io/managed-by': 'berth' },
    annotations: { 'berth.dev/deployment-id': deploymentId },
  },
});

const Stored = z.object({ name: z.string(), changed: z.string().nullable() });
/** The pods in the rows of a cluster, with their last change. */
async function podsIn(clusterId: string): Promise<Map<string, string | null>> {
  const rows = await db.any(sql.type(Stored)`
    select name, metadata->'labels'->>'changed' as changed from k8s_resources
    where cluster_id = ${clusterId} and kind = 'Pod'
  `);
  return new Map(rows.map(({ name, changed }) => [name, changed]));
}
const expectPods = (clusterId: string, pods: ReadonlyMap<string, string | null>) =>
  vi.waitFor(async () => expect(await podsIn(clusterId)).toEqual(pods), { interval: 100 });

/** A TCP server that is not an API server and handles each connection with this function. */
async function startHole(accept: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const hole = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    accept(socket);
  }).listen(0, '127.0.0.1');
  await once(hole, 'listening');
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    hole.close();
  });
  return portOf(hole);
}

test('clusters that do not answer do not delay changes of the others or take their slots', async () => {
  const silent = await startHole(() => undefined);
  const dropping = await startHole((socket) => void socket.destroy());
  // These never answer; a list waits half a minute for a request, longer than this test allows the others.
  for (const n of [0, 1, 2, 3]) {
    const hanging = stack.use(await startFakeApiServer());
    hanging.misbehave = () => true;
    await watch(`hanging-${n}`, hanging.access);
  }
  const access = { ca: null, token: 'x', certificate: null };
  for (const [n, port] of [silent, silent, silent, dropping, dropping].entries()) {
    await watch(`dark-${n}`, { ...access, server: `https://127.0.0.1:${port}` });
  }
  const servers = await Promise.all([1, 2, 3].map(async () => stack.use(await startFakeApiServer({ pageSize: 3 }))));
  const ids = await Promise.all(
    servers.map((server, n) => {
      server.put('ns', namespaceOf());
      for (let pod = 0; pod < 5; pod += 1) server.put(`pod-${pod}`, { metadata: { namespace: 'ns' } });
      return watch(`light-${n}`, server.access);
    }),
  );
  const before = new Map(Array.from({ length: 5 }, (_, pod) => [`pod-${pod}`, null]));
  for (const id of ids) await expectPods(id, before);
  for (const server of servers) {
    await vi.waitUntil(() => server.requests.filter(({ isWatch }) => isWatch).length === trackedKinds.length);
  }

  for (const [n, server] of servers.entries()) {
    for (let change = 0; change < 20; change += 1) {
      server.put(`pod-${change % 5}`, { metadata: { namespace: 'ns', labels: { changed: `${n} ${change}` } } });
    }
  }

  for (const [n, id] of ids.entries()) {
    const last = new Map(Array.from({ length: 5 }, (_, pod) => [`pod-${pod}`, `${n} ${pod + 15}`]));
    await vi.waitFor(async () => expect(await podsIn(id)).toEqual(last), { interval: 100 });
  }
}, 150_000);

test('a cluster whose answers are too large gets that reason, and the others are tracked meanwhile', async () => {
  const hostile = stack.use(await startFakeApiServer());
  hostile.misbehave = (_, response) => {
    response.end(`{"metadata":{"resourceVersion":"1"},"x":[${'[],'.repeat(1_000_000)}0],"items":[]}`);
    return true;
  };
  const other = stack.use(await startFakeApiServer());
  other.put('ns', namespaceOf());
  other.put('pod-0', { metadata: { namespace: 'ns' } });
  const excess = clusterExcess();

  await watch('hostile', hostile.access, excess);
  const id = await watch('beside-hostile', other.access);

  await expectPods(id, new Map([['pod-0', null]]));
  await expect.poll(() => excess.reason()).toBe(`127.0.0.1:${hostile.port} sent an answer that is too large`);
});

test('a cluster that another replica has taken over frees its slot and its room for the others', async () => {
  const [taken, other] = await Promise.all([1, 2].map(async () => stack.use(await startFakeApiServer())));
  for (const server of [taken, other]) {
    server?.put('ns', namespaceOf());
    for (let pod = 0; pod < 40; pod += 1) server?.put(`pod-${pod}`, { metadata: { namespace: 'ns' } });
  }
  if (!taken || !other) throw new Error('no servers');
  // So small that the list waits for room when the loss is noticed.
  const { saveChanges } = deps;
  room = queueRoom(10);
  let mostInRoom = 0;
  const count = { now: 0 };
  Object.defineProperty(room, 'size', {
    get: () => count.now,
    set(size: number) {
      count.now = size;
      mostInRoom = Math.max(mostInRoom, size);
    },
  });
  deps = { ...deps, queueRoom: room, listInTurn: atMost(1, { awayMs: 300 }) };
  let lost = '';
  deps = {
    ...deps,
    saveChanges: (changes) =>
      changes.clusterId === lost ? Promise.reject(new ClusterLeaseLost(lost)) : saveChanges(changes),
  };
  const clusters = createClusterRepository(db);
  await clusters.upsert({ provider_id: 'taken', name: 'taken', region_name: 'r', ignore: false });
  lost = found((await clusters.list({ name: 'taken' }, 'all', {})).items[0], 'cluster').id;
  const lease = { name: leaseNameOf(lost), holder: 'test', fence: 1, ttlMs: 300_000, until: 0 };
  using api = openKubeApi(taken.access);

  await expect(watchCluster(deps, { id: lost, api, lease }, stopping.signal)).rejects.toBeInstanceOf(ClusterLeaseLost);

  const id = await watch('other', other.access);
  await expectPods(id, new Map(Array.from({ length: 40 }, (_, pod) => [`pod-${pod}`, null])));
  // Slightly more than the room: each kind may add one waiting object.
  expect(mostInRoom).toBeLessThanOrEqual(10 + trackedKinds.length);
}, 150_000);

test('a list of 5,000 objects after an outage brings the rows up to date, with few of them in memory', async () => {
  const server = stack.use(await startFakeApiServer());
  const names = Array.from({ length: 5_000 }, (_, n) => ({ name: `pod-${n}`, namespace: `ns-${n % 20}` }));
  for (let n = 0; n < 20; n += 1) server.put(`ns-${n}`, namespaceOf());
  for (const { name, namespace } of names) server.putSilently(name, { metadata: { namespace } });
  const id = await watch('large', server.access);
  const pods = new Map<string, string | null>(names.map(({ name }) => [name, null]));
  await vi.waitUntil(async () => (await podsIn(id)).size === 5_000, { timeout: 150_000, interval: 500 });
  const lists = () => server.requests.filter(({ path, isWatch }) => path === '/api/v1/pods' && !isWatch);
  const before = lists().length;

  let isExpired = false;
  server.misbehave = (request, response) => {
    if (isExpired || !request.isWatch || request.url.pathname !== '/api/v1/pods') return false;
    isExpired = true;
    return failWith(410)(request, response);
  };
  for (const { name, namespace } of names.slice(0, 1_500)) {
    if (Number(name.slice(4)) % 3 === 0) {
      server.removeSilently(name, { metadata: { namespace } });
      pods.delete(name);
    } else {
      server.putSilently(name, { metadata: { namespace, labels: { changed: 'meanwhile' } } });
      pods.set(name, 'meanwhile');
    }
  }
  server.endWatches();

  await expectPods(id, pods);
  // 200 rows, and the ids of deleted objects.
  expect(mostWaiting).toBeLessThanOrEqual(600);
  // Only the usual pages of 200 of one list.
  expect(lists().length - before).toBe(Math.ceil(pods.size / 200));
}, 300_000);
