import type { Identity } from '@berth/contracts/access/identity';
import { k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import type { PodLogPart, PodLogRequest } from '@berth/contracts/resources/clusters/pod-log';
import { AppError } from '@berth/contracts/errors';
import { identityToken, sampleIdentities, samplePlaces } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeKubelet, serveFakePod } from '../support/fake-kubelet.ts';
import { addLiveCluster, type LiveCluster, liveDeploymentId } from '../support/live-cluster.ts';
import { type ServiceInTest, startServiceInTest } from '../support/service-in-test.ts';

const { siteAdmin, envAdmin, envUser, owner, maintainer, outsider, bot, deployment } = sampleIdentities;
const missing = '99999999-9999-4999-8999-999999999999';

let service: ServiceInTest;
let cluster: LiveCluster;
let pod: FakeKubelet;
let podId: string;

beforeAll(async () => {
  service = await startServiceInTest();
});
afterAll(() => service?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await service.db.query(sql.unsafe`truncate k8s_clusters, k8s_resources cascade`);
  cluster = await addLiveCluster(service);
  podId = await addRow('Pod', 'web-1');
  pod = serveFakePod(cluster.server, { uid: podId, path: '/api/v1/namespaces/ns/pods/web-1' });
});
afterEach(() => cluster?.[Symbol.asyncDispose]());

const addRow = (kind: string, name: string) =>
  service.addResource({ clusterId: cluster.id, deploymentId: liveDeploymentId, kind, name });

type Options = Partial<PodLogRequest>;

async function read(options: Options = {}, identity: Identity = maintainer): Promise<PodLogPart> {
  const body = { resource_id: podId, position: null, ...options };
  const token = await identityToken(identity, 'cluster-sync');
  return service.gateway.call(k8sResources.operations.log_part, { body }, { identityToken: token, deadlineMs: 10_000 });
}

/** Reads all parts, as the gateway does for a request without `follow`. */
async function readAll(options: Options = {}): Promise<string> {
  let text = '';
  for (let position: PodLogRequest['position'] = null; ; ) {
    const part = await read({ ...options, position });
    text += part.text;
    if (part.state !== 'more') return text;
    ({ position } = part);
  }
}

const at = (second: number, nanos = 0) =>
  `2026-01-02T03:04:${String(second).padStart(2, '0')}.${String(nanos).padStart(9, '0')}Z`;

describe('the log of a pod', () => {
  test.for<[string, Identity]>([
    ['a maintainer', maintainer],
    ['an owner', owner],
    ['an admin of the env', envAdmin],
    ['a site admin', siteAdmin],
    ['a bot', bot],
    ['a deployment of the env', deployment],
  ])('is read by %s', async ([, identity]) => {
    pod.write('hello');

    expect(await read({}, identity)).toMatchObject({ text: 'hello\n', state: 'read', reason: null });
  });

  test.for<[string, Identity, string]>([
    ['a member of the env without a role', envUser, 'forbidden'],
    ['a user without the env', outsider, 'not_found'],
  ])('is refused to %s', async ([, identity, code]) => {
    await expect(read({}, identity)).rejects.toMatchObject({ code });
    expect(pod.queries).toEqual([]);
  });

  test('is refused without an identity, for a row that is missing, and for the pod of a deleted deployment', async () => {
    const body = { resource_id: podId, position: null };
    await expect(service.gateway.call(k8sResources.operations.log_part, { body })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await expect(read({ resource_id: missing })).rejects.toMatchObject({ code: 'not_found' });
    const orphan = await service.addResource({ clusterId: cluster.id, deploymentId: missing, kind: 'Pod', name: 'x' });
    await expect(read({ resource_id: orphan })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is refused when a role is taken away between two parts', async () => {
    pod.write('hello');
    const { position } = await read({ follow: true });

    await expect(read({ follow: true, position }, envUser)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('belongs to the env of the cluster, not to the env that its deployment moves to', async () => {
    const place = service.places.get(liveDeploymentId);
    if (place) service.places.set(liveDeploymentId, { ...place, env_id: samplePlaces.otherEnvId });
    await service.db.query(sql.unsafe`update k8s_clusters set env_id = ${samplePlaces.otherEnvId}`);

    await expect(read({}, deployment)).rejects.toMatchObject({ code: 'not_found' });
    await expect(read({}, maintainer)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('has many parts if it is long, and each line once', async () => {
    for (let n = 0; n < 3_000; n += 1)
      pod.lines.push({ at: at(n % 7 === 0 ? 10 : 11, n), text: `${n} ${'x'.repeat(300)}` });
    pod.lines.sort((one, other) => (one.at < other.at ? -1 : 1));

    expect(await readAll()).toBe(pod.lines.map(({ text }) => `${text}\n`).join(''));
    expect(pod.queries.length).toBeGreaterThan(3);
  });

  test('is read from its end, from a time, and of the container before the restart', async () => {
    for (const second of [1, 2, 3, 4]) pod.write(`line ${second}`, at(second, 500_000_000));
    pod.previous.push({ at: at(0), text: 'crashed' });

    expect(await readAll({ tail_lines: 2 })).toBe('line 3\nline 4\n');
    expect(await readAll({ since: '2026-01-02T03:04:02.600Z' })).toBe('line 3\nline 4\n');
    expect(await readAll({ previous: true })).toBe('crashed\n');
  });

  test('is followed from its end with tail_lines=0, even if it is empty', async () => {
    const nothing = await read({ follow: true, tail_lines: 0 });
    expect(nothing).toMatchObject({ text: '', state: 'read' });
    pod.write('first', at(1));
    expect(await read({ follow: true, tail_lines: 0, position: nothing.position })).toMatchObject({ text: 'first\n' });

    const end = await read({ follow: true, tail_lines: 0 });
    expect(end).toMatchObject({ text: '', position: { at: at(1), lines: 1 } });
    pod.write('second', at(2));
    expect(await read({ follow: true, tail_lines: 0, position: end.position })).toMatchObject({ text: 'second\n' });
  });
});

describe('a follower', () => {
  test('waits for the next line, gets it soon, and leaves no stream open', async () => {
    pod.write('first');
    const { position } = await read({ follow: true });

    const next = read({ follow: true, position });
    await vi.waitFor(() => expect(pod.openStreams()).toBe(1));
    pod.write('second');

    expect(await next).toMatchObject({ text: 'second\n', state: 'read' });
    expect(await read({ follow: true, position: (await next).position })).toMatchObject({ text: '', state: 'read' });
    await vi.waitFor(() => expect(pod.openStreams()).toBe(0));
  });

  test('continues with the next container when one has ended, and ends with the pod', async () => {
    pod.write('first');
    const { position } = await read({ follow: true });
    const waiting = read({ follow: true, position });
    await vi.waitFor(() => expect(pod.openStreams()).toBe(1));
    pod.endStreams();
    expect(await waiting).toMatchObject({ text: '', position, state: 'read' });
    pod.refusal = { status: 400, message: 'container "web" in pod "web-1" is waiting to start' };
    expect(await read({ follow: true, position })).toMatchObject({ text: '', position, state: 'read' });

    pod.refusal = null;
    pod.write('last');
    pod.phase = 'Succeeded';

    expect(await read({ follow: true, position })).toMatchObject({
      text: 'last\n',
      state: 'ended',
      reason: 'the pod has ended (Succeeded)',
    });
  });

  test.for(['deleted', 'replaced'] as const)(
    'is not replaced by that of another pod when its own is %s',
    async (how) => {
      pod.write('first');
      const { position } = await read({ follow: true });
      if (how === 'deleted') pod.isDeleted = true;
      else Object.assign(pod, { uid: 'another' });
      pod.write('of somebody else');

      expect(await read({ follow: true, position })).toMatchObject({
        text: '',
        state: 'ended',
        reason: 'the pod was deleted',
      });
      await expect(read({ follow: true })).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  test('needs a container name if the pod has several', async () => {
    pod.containers = ['web', 'side'];
    pod.write('hello');

    await expect(read()).rejects.toMatchObject({
      code: 'conflict',
      message: 'Name one of the containers of the pod: web, side',
    });
    await expect(read({ container: 'other' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'The pod has no container other; it has web, side',
    });
    expect(await read({ container: 'side' })).toMatchObject({ text: 'hello\n' });
    expect(pod.queries.at(-1)?.get('container')).toBe('side');
  });
});

describe('a log that cannot be read is refused with a reason:', () => {
  test('of a kind without logs', async () => {
    await expect(read({ resource_id: await addRow('Service', 'web') })).rejects.toMatchObject({
      code: 'conflict',
      message: 'A Service has no log; read the log of one of its pods',
    });
  });

  test('of a waiting container', async () => {
    pod.refusal = { status: 400, message: 'container "web" is waiting to start: \u001b[31mPodInitializing' };

    await expect(read()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        /^The cluster has no such log: .* is waiting to start:  {1,2}\[31mPodInitializing$/,
      ),
    });
  });

  test.for([
    [
      500,
      /^The API server cannot get the log from the node node-7 of the pod \(500\), .*; try again when the node is ready$/,
      15,
    ],
    [
      403,
      /^The cluster live-.* cannot be read: the credential of Berth lacks a permission at .*; deploy\/rbac\/cluster-sync\.yaml of this version .*; an operator has to /,
      60,
    ],
    [429, /^The cluster live-.* cannot be read: .* is overloaded \(429\); try again$/, 5],
  ] as const)('when the cluster answers %i', async ([status, words, retryAfterSeconds]) => {
    pod.refusal = { status, message: 'secret details' };

    await expect(read()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(words),
      retryAfterSeconds,
    });
  });

  test('on an ignored cluster, on one that does not answer, and on one that is not configured', async () => {
    await service.db.query(sql.unsafe`update k8s_clusters set ignore = true`);
    await expect(read()).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/ is ignored$/) });
    await service.db.query(sql.unsafe`update k8s_clusters set ignore = false, is_ok = false, not_ok_reason = 'gone'`);
    await expect(read()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^The cluster live-.* cannot be reached: gone\. .*; try again when it answers$/),
      retryAfterSeconds: 15,
    });
    await service.db.query(sql.unsafe`update k8s_clusters set is_ok = true, not_ok_reason = null`);
    service.directory.replace('test:', { clusters: [], unread: [] });
    await expect(read()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^The cluster live-.* no source of clusters names it now\. Ask an operator to /),
      retryAfterSeconds: 60,
    });
    expect(pod.queries).toEqual([]);
  });

  test('while tasks, which knows who may read it, does not answer', async () => {
    service.beforePlace = () => Promise.reject(new AppError('unavailable', 'The database is not available'));

    await expect(read().finally(() => (service.beforePlace = async () => undefined))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Your permission to read this log cannot be checked: the service tasks does not answer; try again',
    });
    expect(pod.queries).toEqual([]);
  });

  test('when the cluster has its maximum of readers, until one of them has received its part', async () => {
    const answers = cluster.server.misbehave;
    cluster.server.misbehave = () => true;
    const readers = Promise.allSettled([read(), read()]);
    await vi.waitFor(() => expect(cluster.server.requests).toHaveLength(2));

    await expect(read()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^2 logs and events of the cluster live-.* are already being read, which is the maximum; try again, or follow fewer logs$/,
      ),
      retryAfterSeconds: 1,
    });

    cluster.server.misbehave = answers;
    cluster.server.cut();
    expect((await readers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await read()).toMatchObject({ state: 'read' });
  });

  test('when a line, or the lines of one second, exceed the limit of one read', async () => {
    pod.write('x'.repeat(17 * 1024 * 1024));

    expect(await read()).toMatchObject({
      text: '',
      state: 'ended',
      reason: expect.stringContaining('more than 16 MiB'),
    });
  });
});

test.for<[string, object]>([
  ['previous together with follow', { previous: true, follow: true }],
  ['an invalid container name', { container: '../../secrets' }],
  ['a negative number of lines', { tail_lines: -1 }],
  ['an invalid time', { since: 'yesterday' }],
  ['an unknown option', { limitBytes: 5 }],
  ['a position in an impossible month', { position: { at: '2026-99-01T00:00:00Z', lines: 0 } }],
  ['an invalid position', { position: { at: '2026-01-02 or 1=1', lines: 0 } }],
])('%s is refused before the cluster is called', async ([, options]) => {
  await expect(read(options)).rejects.toMatchObject({ code: 'invalid' });
  expect(cluster.server.requests).toEqual([]);
});
