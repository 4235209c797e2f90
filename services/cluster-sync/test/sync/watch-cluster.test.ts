import type { Database } from '@berth/db/database';
import { acquireLease } from '@berth/db/leases/lease';
import { found } from '@berth/contracts/errors';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { atMost } from '@berth/service/waiting/at-most';
import { silentLog } from '@berth/testing/test-bus';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClusterRepository } from '../../src/clusters/cluster-repository.ts';
import { leaseNameOf } from '../../src/clusters/lease-name-of.ts';
import { createNamespaceRepository } from '../../src/namespaces/namespace-repository.ts';
import { adoptByAnnotation } from '../support/own-namespace.ts';
import { createK8sResourceRepository } from '../../src/resources/rows/k8s-resource-repository.ts';
import { trackedKinds } from '../../src/resources/objects/tracked-kinds.ts';
import { queueRoom, type RowChange } from '../../src/resources/rows/change-queue.ts';
import { saveInGroups } from '../../src/resources/rows/save-in-groups.ts';
import { watchCluster } from '../../src/resources/watch-cluster.ts';
import { type FakeApiServer, startFakeApiServer } from '@berth/devstack/testing/fake-api-server';

const migrations = new URL('../../migrations/', import.meta.url);
const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';

let database: OpenTestDatabase;
let db: Database;
let server: FakeApiServer;
let api: KubeApi;
let clusterId: string;
let stopping: AbortController;
let running: Promise<void>;
let mostListsAtOnce: number;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'cluster-sync', migrations });
  ({ db } = database);
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(async () => {
  server = await startFakeApiServer();
  countLists();
  api = openKubeApi(server.access);
  stopping = new AbortController();
  clusterId = await addCluster(server.access.server);
  const holder = { name: leaseNameOf(clusterId), holder: 'test', ttlMs: 60_000 };
  const lease = found(await acquireLease(db, holder), 'lease');
  const k8sResourceRepository = createK8sResourceRepository(db);
  const deps = {
    k8sResourceRepository,
    namespaceRepository: createNamespaceRepository(db),
    adopt: adoptByAnnotation,
    log: silentLog,
    resyncMs: 600_000,
    stallMs: 60_000,
    saveChanges: saveInGroups(k8sResourceRepository),
    saveFollowed: async () => undefined,
    redactRows: async (changes: readonly RowChange[]) => changes,
    listInTurn: atMost(4, { awayMs: 2_000 }),
    queueRoom: queueRoom(600),
  };

  running = watchCluster(deps, { id: clusterId, api, lease }, stopping.signal);
  await vi.waitUntil(() => requests('watch').length === trackedKinds.length);
  server.misbehave = null;
});
afterEach(async () => {
  stopping.abort();
  await running;
  api[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

/** Delays the answers to the first, empty lists, to count how many are in flight at once. */
function countLists(): void {
  let listsNow = 0;
  mostListsAtOnce = 0;
  server.misbehave = ({ isWatch }, response) => {
    if (isWatch) return false;
    listsNow += 1;
    mostListsAtOnce = Math.max(mostListsAtOnce, listsNow);
    setTimeout(() => {
      listsNow -= 1;
      response.end(JSON.stringify({ metadata: { resourceVersion: '100' }, items: [] }));
    }, 10);
    return true;
  };
}

async function addCluster(name: string): Promise<string> {
  const clusters = createClusterRepository(db);
  await clusters.upsert({ provider_id: name, name, region_name: 'r', ignore: false });
  return found((await clusters.list({ name }, 'all', {})).items[0], 'cluster').id;
}

const requests = (kind: 'list' | 'watch') => server.requests.filter(({ isWatch }) => isWatch === (kind === 'watch'));
const namespaces = '/api/v1/namespaces';
const managed = {
  path: namespaces,
  metadata: {
    labels: { 'app.kubernetes.io/managed-by': 'berth' },
    annotations: { 'berth.dev/deployment-id': deploymentId },
  },
};
const podIn = (namespace: string) => ({ metadata: { namespace } });

async function names(): Promise<string[]> {
  const { items } = await createK8sResourceRepository(db).list({ cluster_id: clusterId }, 'all', { per_page: 100 });
  return items.map(({ kind, name }) => `${kind} ${name}`).sort();
}
const expectNames = (...expected: string[]) =>
  vi.waitFor(async () => expect(await names()).toEqual(expected.sort()), { interval: 20 });

/** Waits until all earlier events of pods are processed: a later pod is tracked. */
async function untilPodsAreProcessed(): Promise<void> {
  server.put('marked', managed);
  server.put('marker', podIn('marked'));
  await expectNames('Namespace marked', 'Pod marker');
}

test('the lists of a cluster run one after the other', () => {
  expect(requests('list')).toHaveLength(trackedKinds.length);
  expect(mostListsAtOnce).toBe(1);
});

test('a new namespace needs neither a list nor a new watch, whether it or its objects arrive first', async () => {
  const before = server.requests.length;
  const numbers = Array.from({ length: 10 }, (_, number) => String(number));

  for (const number of numbers) {
    const puts = [() => server.put(`n${number}`, managed), () => server.put(`p${number}`, podIn(`n${number}`))];
    for (const each of Number(number) % 2 ? puts : puts.toReversed()) each();
  }

  await expectNames(...numbers.flatMap((number) => [`Namespace n${number}`, `Pod p${number}`]));
  expect(server.requests.slice(before)).toEqual([]);
});

test('an object that arrives before its namespace is tracked with it, if it still exists', async () => {
  server.put('early', podIn('new'));
  server.put('gone', podIn('new'));
  server.remove('gone', podIn('new'));
  await untilPodsAreProcessed();

  server.put('new', managed);

  await expectNames('Namespace marked', 'Namespace new', 'Pod early', 'Pod marker');
  expect(requests('list')).toHaveLength(trackedKinds.length);
});

test('a namespace that is recognized later is tracked with its existing objects, and stays tracked whatever its labels say', async () => {
  server.put('late', { path: namespaces });
  server.put('old', podIn('late'));
  await untilPodsAreProcessed();

  server.put('late', managed);
  await expectNames('Namespace late', 'Namespace marked', 'Pod marker', 'Pod old');
  expect(requests('list').map(({ path }) => path)).toContain('/api/v1/namespaces/late/pods');

  server.put('late', { path: namespaces, metadata: { labels: {} } });
  server.put('new', podIn('late'));
  await expectNames('Namespace late', 'Namespace marked', 'Pod marker', 'Pod new', 'Pod old');
});

describe('a namespace that is created again under its name', () => {
  test.for([
    ['managed', managed],
    ['without a deployment', { path: namespaces }],
  ] as const)('keeps the objects that arrived before the deletion of the old one, %s', async ([, old]) => {
    server.put('again', old);
    await expectNames(...(old === managed ? ['Namespace again'] : []));
    server.put('new', podIn('again'));
    server.put('marked', managed);
    server.put('marker', podIn('marked'));
    await vi.waitFor(async () => expect(await names()).toContain('Pod marker'));

    server.remove('again', old);
    server.put('again', managed);

    await vi.waitFor(() => expect(requests('list').map(({ path }) => path)).toContain('/api/v1/namespaces/again/pods'));
    await expectNames('Namespace again', 'Namespace marked', 'Pod marker', 'Pod new');
  });
});
