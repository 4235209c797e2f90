import { acquireLease, type Lease } from '@berth/db/leases/lease';
import { found } from '@berth/contracts/errors';
import { silentLog } from '@berth/testing/test-bus';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createClusterRepository } from '../src/clusters/cluster-repository.ts';
import { leaseNameOf } from '../src/clusters/lease-name-of.ts';
import { liveClusters } from '../src/live/live-clusters.ts';
import { createNamespaceRepository } from '../src/namespaces/namespace-repository.ts';
import { createLostNamespaceRepository } from '../src/lost-namespaces/lost-namespace-repository.ts';
import { reportLostNamespaces } from '../src/lost-namespaces/report-lost-namespaces.ts';
import { observedObject } from '../src/resources/objects/observed-object.ts';
import { trackedKinds } from '../src/resources/objects/tracked-kinds.ts';
import { trackedObject } from '../src/resources/objects/tracked-object.ts';
import { createK8sResourceRepository } from '../src/resources/rows/k8s-resource-repository.ts';
import { failWith } from '@berth/devstack/testing/fake-api-server';
import { addLiveCluster, type LiveCluster, liveDeploymentId } from './support/live-cluster.ts';
import { recordNamespace } from './support/own-namespace.ts';
import { type ServiceInTest, startServiceInTest } from './support/service-in-test.ts';

let service: ServiceInTest;
let cluster: LiveCluster;
let lease: Lease;
/** The answer of the cluster for the namespace; null: 404. */
let inCluster: object | null;

beforeAll(async () => {
  service = await startServiceInTest();
});
afterAll(() => service?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await service.db.query(sql.unsafe`truncate k8s_clusters, k8s_resources, lost_namespaces, leases cascade`);
  service.lost = [];
  cluster = await addLiveCluster(service);
  lease = found(
    await acquireLease(service.db, { name: leaseNameOf(cluster.id), holder: 'test', ttlMs: 60_000 }),
    'lease',
  );
  inCluster = null;
  await recordNamespace(service.db, { clusterId: cluster.id, name: 'ns', deploymentId: liveDeploymentId });
  cluster.server.misbehave = (request, response) => {
    if (inCluster === null) return failWith(404)(request, response);
    response.end(JSON.stringify(inCluster));
    return true;
  };
});
afterEach(() => cluster?.[Symbol.asyncDispose]());

const namespace = (metadata: object = {}, status: object = { phase: 'Active' }) => ({
  metadata: {
    uid: 'ns-uid',
    name: 'ns',
    labels: { 'app.kubernetes.io/managed-by': 'berth' },
    annotations: { 'berth.dev/deployment-id': liveDeploymentId, 'berth.dev/mark': 'mark of ns' },
    ...metadata,
  },
  status,
});

async function save(object: object | null, kind: 'Namespace' | 'Pod' = 'Namespace'): Promise<void> {
  const tracked = trackedKinds.find((each) => each.kind === kind) ?? trackedKinds[0];
  const place = { clusterId: cluster.id, namespace: 'ns' };
  const change =
    object === null
      ? { uid: 'ns-uid' }
      : { uid: 'ns-uid', put: trackedObject(observedObject(tracked, object, place), liveDeploymentId) };
  await createK8sResourceRepository(service.db).saveTogether([{ clusterId: cluster.id, lease, changes: [change] }]);
}

const report = ({ heldMs = 60_000 } = {}) =>
  reportLostNamespaces({
    bus: service.bus,
    lostNamespaceRepository: createLostNamespaceRepository(service.db),
    namespaceRepository: createNamespaceRepository(service.db),
    readCluster: liveClusters({ clusterRepository: createClusterRepository(service.db), directory: service.directory }),
    log: silentLog,
    againMs: 0,
    heldMs,
  })(new AbortController().signal);

const waiting = async () =>
  (await service.db.one(sql.type(z.object({ n: z.number() }))`select count(*)::int as n from lost_namespaces`)).n;

test('a namespace that disappears while its deployment runs is reported once, with the revision that was read first', async () => {
  const place = found(service.places.get(liveDeploymentId), 'place');
  service.places.set(liveDeploymentId, { ...place, revision_id: '11111111-2222-4333-8444-555555555555' });
  await save(namespace());
  expect(await waiting()).toBe(0);
  await save(null);

  await report();
  await report();

  expect(service.lost).toEqual([
    {
      id: liveDeploymentId,
      cluster_id: cluster.id,
      namespace: 'ns',
      revision_id: '11111111-2222-4333-8444-555555555555',
      reason: 'The namespace ns was deleted from the cluster while the deployment ran',
    },
  ]);
  expect(await waiting()).toBe(0);
});

test('deletions of other objects, and of a namespace whose deployment was uninstalled, are not reported', async () => {
  await save({ metadata: { uid: 'ns-uid', name: 'web-1', namespace: 'ns' } }, 'Pod');
  await save(null);
  expect(await waiting()).toBe(0);

  const place = found(service.places.get(liveDeploymentId), 'place');
  service.places.set(liveDeploymentId, { ...place, status: 'Uninstalled' });
  await save(namespace());
  await save(null);
  await report();

  expect([service.lost, await waiting()]).toEqual([[], 0]);
});

test('a namespace that exists again before the report is not reported', async () => {
  await save(namespace());
  await save(null);
  inCluster = namespace();

  await report();

  expect([service.lost, await waiting()]).toEqual([[], 0]);
});

test('a report waits for a running task, for a cluster that does not answer, and for the service tasks', async () => {
  const place = found(service.places.get(liveDeploymentId), 'place');
  await save(namespace());
  await save(null);

  service.places.set(liveDeploymentId, { ...place, status: 'Upgrading' });
  await report();
  service.places.set(liveDeploymentId, place);
  const answers = cluster.server.misbehave;
  cluster.server.misbehave = failWith(500);
  await report();
  await service.db.query(sql.unsafe`update k8s_clusters set ignore = true`);
  await report();
  expect([service.lost, await waiting()]).toEqual([[], 1]);

  await service.db.query(sql.unsafe`update k8s_clusters set ignore = false`);
  cluster.server.misbehave = answers;
  await report();
  expect([service.lost.length, await waiting()]).toEqual([1, 0]);
});

test('a namespace whose deletion hangs is reported with what blocks it', async () => {
  const conditions = [
    { type: 'NamespaceContentRemaining', status: 'True', reason: 'SomeResourcesRemain', message: 'configmaps. has 1' },
  ];
  const terminating = namespace({ deletionTimestamp: '2026-01-02T03:04:05Z' }, { phase: 'Terminating', conditions });
  await save(terminating);
  inCluster = terminating;
  await report();
  expect([service.lost, await waiting()]).toEqual([[], 1]);

  await service.db.query(sql.unsafe`update lost_namespaces set due_at = now()`);
  await report();
  expect(service.lost).toEqual([]);
  await report({ heldMs: 0 });

  expect(service.lost.map(({ reason }) => reason)).toEqual(['The namespace ns is being deleted: configmaps. has 1']);
  expect(await waiting()).toBe(0);
});
