import { k8sEvents } from '@berth/contracts/resources/clusters/k8s-events';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { failWith } from '@berth/devstack/testing/fake-api-server';
import { addLiveCluster, type LiveCluster, liveDeploymentId } from '../support/live-cluster.ts';
import { recordNamespace } from '../support/own-namespace.ts';
import { type ServiceInTest, startServiceInTest } from '../support/service-in-test.ts';
import { resourceId } from '../../src/resources/objects/resource-id.ts';

let service: ServiceInTest;
let cluster: LiveCluster;
let events: unknown[];
let mark: string;

beforeAll(async () => {
  service = await startServiceInTest();
});
afterAll(() => service?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await service.db.query(sql.unsafe`truncate k8s_clusters, k8s_resources cascade`);
  cluster = await addLiveCluster(service);
  [events, mark] = [[], 'mark of ns'];
  await recordNamespace(service.db, { clusterId: cluster.id, name: 'ns', deploymentId: liveDeploymentId });
  cluster.server.misbehave = ({ url }, response) => {
    if (url.pathname === '/api/v1/namespaces/ns') {
      const metadata = {
        name: 'ns',
        uid: 'ns-uid',
        labels: { 'app.kubernetes.io/managed-by': 'berth' },
        annotations: { 'berth.dev/deployment-id': liveDeploymentId, 'berth.dev/mark': mark },
      };
      response.end(JSON.stringify({ metadata }));
      return true;
    }
    if (url.pathname !== '/api/v1/namespaces/ns/events') return failWith(404)({ url, isWatch: false }, response);
    const from = Number(url.searchParams.get('continue') ?? 0);
    const to = from + Number(url.searchParams.get('limit'));
    const more = to < events.length ? { continue: String(to) } : {};
    response.end(JSON.stringify({ metadata: { resourceVersion: '1', ...more }, items: events.slice(from, to) }));
    return true;
  };
});
afterEach(() => cluster?.[Symbol.asyncDispose]());

const list = (query: object = {}, namespace = 'ns') =>
  service.tasks.call(
    k8sEvents.operations.list,
    { body: { cluster_id: cluster.id, deployment_id: liveDeploymentId, namespace, query } },
    { deadlineMs: 8_000 },
  );

const minute = (n: number) => `2026-01-02T03:${String(n).padStart(2, '0')}:00Z`;
const counted = (n: number, more: object = {}) => ({
  metadata: { uid: `e${n}`, creationTimestamp: minute(0) },
  type: 'Warning',
  reason: 'BackOff',
  message: 'Back-off restarting failed container',
  count: 3,
  firstTimestamp: minute(0),
  lastTimestamp: minute(n),
  involvedObject: { kind: 'Pod', name: 'web-1', apiVersion: 'v1', uid: 'u1' },
  source: { component: 'kubelet' },
  ...more,
});

test('forty readers of a namespace share one read, and all get the events', async () => {
  events = [counted(1), counted(2)];

  const pages = await Promise.all(Array.from({ length: 40 }, (_, n) => list({ per_page: 1, page: 1 + (n % 2) })));

  expect(new Set(pages.map(({ items }) => items[0]?.uid))).toEqual(new Set(['e1', 'e2']));
  expect(cluster.server.requests.filter(({ path }) => path.includes('/events'))).toHaveLength(1);
});

test('events are listed newest first, in pages, in the shapes of old and new senders', async () => {
  const series = {
    metadata: { uid: 'series', creationTimestamp: minute(1) },
    type: 'Normal',
    reason: 'Pulled',
    message: 'Image pulled',
    eventTime: '2026-01-02T03:01:00.123456Z',
    series: { count: 7, lastObservedTime: '2026-01-02T03:09:00.500000Z' },
    involvedObject: { kind: 'Node', name: 'node-1', uid: 'n1' },
    reportingComponent: 'scheduler',
  };
  events = [counted(1), counted(5), series, counted(3)];

  const first = await list({ per_page: 2 });

  expect(first).toMatchObject({ page: 1, per_page: 2, num_total: 4, incomplete: false });
  expect(first.items).toEqual([
    {
      uid: 'series',
      type: 'Normal',
      reason: 'Pulled',
      message: 'Image pulled',
      count: 7,
      first_seen_at: '2026-01-02T03:01:00.123Z',
      last_seen_at: '2026-01-02T03:09:00.500Z',
      object: { kind: 'Node', name: 'node-1', resource_id: null },
      source: 'scheduler',
    },
    expect.objectContaining({
      uid: 'e5',
      count: 3,
      object: { kind: 'Pod', name: 'web-1', resource_id: resourceId(cluster.id, 'u1') },
      source: 'kubelet',
    }),
  ]);
  expect((await list({ per_page: 2, page: 2 })).items.map(({ uid }) => uid)).toEqual(['e3', 'e1']);
  expect((await list({ page: 3 })).items).toEqual([]);
});

test('texts of events are cut and cleaned of control characters, and an odd event does not hide others', async () => {
  const odd = counted(2, {
    message: `\u001b]0;title\u0007line\r\n${'x'.repeat(1_000_000)}`,
    reason: { not: 'a text' },
    involvedObject: { kind: 'Pod\u202E', name: null },
    count: -5,
  });
  events = [null, {}, { metadata: {} }, counted(1, { lastTimestamp: 'soon', firstTimestamp: null }), odd];

  const { items } = await list();

  expect(items.map(({ uid }) => uid)).toEqual(['e2', 'e1']);
  expect(items[0]).toMatchObject({ reason: '', count: 1, object: { kind: 'Pod', name: '', resource_id: null } });
  expect(items[0]?.message).toMatch(/^\]0;title line x+…$/);
  expect(items[0]?.message).toHaveLength(1_000);
});

test('only a limited number of events is read, and the answer marks itself as incomplete', async () => {
  events = Array.from({ length: 450 }, (_, n) => counted(n % 60, { metadata: { uid: `e${n}` } }));

  expect(await list({ per_page: 1 })).toMatchObject({ num_total: 250, incomplete: true });
  // One request for the namespace, and two pages of three.
  expect(cluster.server.requests).toHaveLength(3);
});

test('events of a namespace that is gone, or belongs to somebody else, are not shown', async () => {
  events = [counted(1)];
  mark = 'mark of somebody else';
  expect(await list()).toMatchObject({ items: [], num_total: 0, incomplete: false });
  expect(await list({}, 'missing')).toMatchObject({ items: [] });
  expect(cluster.server.requests.map(({ path }) => path)).not.toContain('/api/v1/namespaces/ns/events');
});

test('a cluster that is ignored, unreachable or slow is named in the refusal', async () => {
  cluster.server.misbehave = failWith(503);
  await expect(list()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('(503)') });
  cluster.server.misbehave = () => true;
  await expect(list()).rejects.toMatchObject({ code: expect.stringMatching(/unavailable|timeout/) });
  await service.db.query(sql.unsafe`update k8s_clusters set ignore = true`);
  await expect(list()).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/ is ignored$/) });
});
