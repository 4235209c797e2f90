import { randomUUID } from 'node:crypto';
import { accountToken, applyRbac } from '@berth/devstack/testing/apply-rbac';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { deploymentNamespaces } from '@berth/contracts/resources/clusters/deployment-namespaces';
import { clusterAccess } from '@berth/contracts/resources/clusters/cluster-access';
import { deploymentCredentials } from '@berth/contracts/resources/clusters/deployment-credentials';
import { AppError } from '@berth/contracts/errors';
import { createLog } from '@berth/service/logging/create-log';
import { samplePlaces } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { atMost } from '@berth/service/waiting/at-most';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createCredentialRepository } from '../src/credentials/credential-repository.ts';
import { keepCredentials } from '../src/credentials/keep-credentials.ts';
import { accessIn, type ClusterInTest, startClusterInTest } from './support/cluster-in-test.ts';
import { claimOn } from './support/neighbours.ts';
import { namespaceMetadata, recordNamespace } from './support/own-namespace.ts';
import { type ServiceInTest, startServiceInTest } from './support/service-in-test.ts';

const { envId, otherEnvId } = samplePlaces;

let cluster: ClusterInTest;
let service: ServiceInTest;
let admin: KubeApi;
let clusterId: string;
let keeping: { stop: AbortController; done: Promise<void> };
const lines: string[] = [];
const log = createLog('test', { level: 'debug', destination: { write: (line: string) => void lines.push(line) } });

/** cluster-sync acts here with the account of `deploy/rbac/cluster-sync.yaml`. */
beforeAll(async () => {
  [cluster, service] = await Promise.all([startClusterInTest(), startServiceInTest()]);
  admin = openKubeApi(cluster.access);
  await applyRbac(admin, 'cluster-sync', 'deployer');
  const { server, ca } = cluster.access;
  const token = await accountToken(admin, 'berth-cluster-sync');
  const access = { server, ca, token, certificate: null };
  const found = { provider_id: 'test:real', name: 'real', region_name: 'here', refused: null, access };
  const shared = { ...found, provider_id: 'test:shared', name: 'shared' };
  service.directory.replace('test:', { clusters: [found, shared], unread: [] });
  clusterId = await service.addCluster({ name: 'real', envId });
  const connection = service.directory.connectionTo('test:real');
  if (!connection) throw new Error('no connection');

  const stop = new AbortController();
  const deps = {
    credentialRepository: createCredentialRepository(service.db),
    writeCredentials: service.writeCredentials,
    log,
    resyncMs: 600_000,
    stallMs: 90_000,
    writesPerSecond: 50,
    readMs: 100,
    betweenWritesMs: 1_000,
    listInTurn: atMost(4, { awayMs: 2_000 }),
  };
  keeping = { stop, done: keepCredentials(deps, { id: clusterId, api: connection.api }, stop.signal) };
});
afterAll(async () => {
  keeping?.stop.abort();
  await keeping?.done;
  admin?.[Symbol.dispose]();
  await service?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 });
const soon = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { interval: 50 });
const secretPath = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets/service-creds`;

const NamespaceObject = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }) });

interface SecretObject {
  metadata: { uid: string; labels: Record<string, string> };
  type: string;
  data: Record<string, string>;
}
const secretIn = async (namespace: string) => (await admin.getJson(secretPath(namespace), call())) as SecretObject;
const contentsIn = async (namespace: string) =>
  Object.fromEntries(
    Object.entries((await secretIn(namespace)).data).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );
const hasSecret = (namespace: string) =>
  secretIn(namespace).then(
    () => true,
    () => false,
  );

const createNamespace = async (name: string, deploymentId: string) => {
  await recordNamespace(service.db, { clusterId, name, deploymentId });
  await admin.postJson('/api/v1/namespaces', { metadata: namespaceMetadata(name, deploymentId) }, call());
};

/** Adds a deployment of the cluster to the projection and creates its namespace. */
async function deploymentIn(namespace: string): Promise<string> {
  const id = randomUUID();
  service.callers.set(id, envId);
  await createNamespace(namespace, id);
  await service.db.query(sql.unsafe`
    insert into deployment_projection (id, version, deleted, env_id, cluster_id, namespace, enabled)
    values (${id}, 1, false, ${envId}, ${clusterId}, ${namespace}, true)
  `);
  return id;
}

/** Does the same, and waits until its Secret is written. */
async function withCredentials(namespace: string) {
  const id = await deploymentIn(namespace);
  const secret = await soon(() => secretIn(namespace));
  return { id, secret, issuedBefore: issuedTo(id) };
}
const issuedTo = (id: string) => service.issued.filter((issued) => issued === id).length;

describe('the Secret service-creds', () => {
  test('of a live deployment is written with its three keys', async () => {
    const id = await deploymentIn('creds-new');

    await soon(async () =>
      expect(await contentsIn('creds-new')).toEqual({
        access_token: expect.stringContaining(id),
        server_url: 'https://berth.example.com',
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      }),
    );
    expect(await secretIn('creds-new')).toMatchObject({
      type: 'Opaque',
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'berth' } },
    });
    expect(issuedTo(id)).toBe(1);
  });

  test('is written again with a new token when somebody deletes it', async () => {
    const { id, secret } = await withCredentials('creds-deleted');

    await admin.deleteJson(secretPath('creds-deleted'), {}, call());

    await soon(async () => expect((await secretIn('creds-deleted')).metadata.uid).not.toBe(secret.metadata.uid));
    expect((await contentsIn('creds-deleted'))['access_token']).toContain(id);
  });

  test.for<[string, string, object]>([
    ['the token', 'creds-token', { data: { access_token: Buffer.from('forged').toString('base64') } }],
    ['the address', 'creds-url', { data: { server_url: Buffer.from('https://evil.example').toString('base64') } }],
    ['a removed key', 'creds-key', { data: { expires_at: null } }],
    ['the label', 'creds-label', { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } }],
  ])('is repaired after somebody changed %s', async ([, namespace, patch]) => {
    const { id, issuedBefore } = await withCredentials(namespace);

    await admin.patchJson(secretPath(namespace), patch, call());

    await soon(async () => {
      const { metadata } = await secretIn(namespace);
      expect(metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'berth' });
      expect(await contentsIn(namespace)).toEqual({
        access_token: expect.stringContaining(id),
        server_url: 'https://berth.example.com',
        expires_at: expect.stringContaining('T'),
      });
      expect(issuedTo(id)).toBeGreaterThan(issuedBefore);
    });
  });

  test('is replaced when it was made immutable with other contents', async () => {
    const { id } = await withCredentials('creds-immutable');

    await admin.deleteJson(secretPath('creds-immutable'), {}, call());
    const other = { metadata: { name: 'service-creds' }, type: 'example.com/other', immutable: true };
    await admin.postJson('/api/v1/namespaces/creds-immutable/secrets', other, call()).catch(() => undefined);

    await soon(async () => {
      expect(await secretIn('creds-immutable')).toMatchObject({ type: 'Opaque' });
      expect((await contentsIn('creds-immutable'))['access_token']).toContain(id);
    });
  });

  test('is refreshed when it is due, without refreshing that of another deployment', async () => {
    const due = await withCredentials('creds-due');
    const other = await withCredentials('creds-other');

    await service.db.query(sql.unsafe`
      update service_credentials set refresh_at = now() where deployment_id = ${due.id}
    `);

    await soon(async () =>
      expect((await secretIn('creds-due')).data['access_token']).not.toBe(due.secret.data['access_token']),
    );
    expect(issuedTo(due.id)).toBe(due.issuedBefore + 1);
    expect(issuedTo(other.id)).toBe(other.issuedBefore);
  });

  test.for<[string, object]>([
    ['another namespace', { namespace: 'creds-elsewhere' }],
    ['a cluster of another env', { cluster_id: randomUUID(), env_id: otherEnvId }],
  ])('is kept at the old place while a move to %s waits', async ([to, moved]) => {
    const namespace = `creds-moving-${to.length}`;
    const { id, secret } = await withCredentials(namespace);
    const { cluster_id = clusterId, env_id = envId, namespace: wanted = namespace } = moved as Record<string, string>;
    await service.db.query(sql.unsafe`
      update deployment_projection set cluster_id = ${cluster_id}, env_id = ${env_id}, namespace = ${wanted} where id = ${id}
    `);

    await admin.deleteJson(secretPath(namespace), {}, call());

    await soon(async () => expect((await secretIn(namespace)).metadata.uid).not.toBe(secret.metadata.uid));
  });

  test('is not written into a namespace of the same name that belongs to another deployment', async () => {
    const id = randomUUID();
    service.callers.set(id, envId);
    await createNamespace('creds-foreign', randomUUID());
    await service.db.query(sql.unsafe`
      insert into deployment_projection (id, version, deleted, env_id, cluster_id, namespace, enabled)
      values (${id}, 1, false, ${envId}, ${clusterId}, 'creds-foreign', true)
    `);
    // A later deployment gets its Secret, so this one had its turn.
    await withCredentials('creds-after-foreign');

    expect(await hasSecret('creds-foreign')).toBe(false);
    expect(issuedTo(id)).toBe(0);
  });

  test('that Helm made for a chart is left to the chart', async () => {
    const { id, issuedBefore } = await withCredentials('creds-chart');
    await admin.patchJson(
      secretPath('creds-chart'),
      {
        metadata: {
          labels: { 'app.kubernetes.io/managed-by': 'Helm' },
          annotations: { 'meta.helm.sh/release-name': 'creds-chart' },
        },
        data: { access_token: Buffer.from('of the chart').toString('base64') },
      },
      call(),
    );
    // A later Secret is repaired, so this one had its turn.
    const after = await withCredentials('creds-after-chart');
    await admin.deleteJson(secretPath('creds-after-chart'), {}, call());
    await soon(async () =>
      expect((await secretIn('creds-after-chart')).metadata.uid).not.toBe(after.secret.metadata.uid),
    );

    expect(issuedTo(id)).toBe(issuedBefore);
    expect((await contentsIn('creds-chart'))['access_token']).toBe('of the chart');
  });

  test('is written once auth is back, and a deployment that auth refuses does not delay others', async () => {
    service.beforeIssue = () => Promise.reject(new AppError('unavailable', 'auth is away'));
    const refused = await deploymentIn('creds-refused');
    service.callers.delete(refused);
    await deploymentIn('creds-away');
    await soon(async () => expect(lines.join('')).toContain('writing the credentials of deployments fails'));
    expect(await hasSecret('creds-away')).toBe(false);

    service.beforeIssue = async () => undefined;

    await soon(() => secretIn('creds-away'));
    expect(await hasSecret('creds-refused')).toBe(false);
  });
});

describe('credentials for a release that is about to start', () => {
  const write = (body: { task_id: string; fence: number }) =>
    service.runner.call(deploymentCredentials.operations.write, { body }, { deadlineMs: 10_000 });
  /** A deployment that the projection does not have yet. */
  async function claimed(namespace: string) {
    const deployment_id = randomUUID();
    service.callers.set(deployment_id, envId);
    await createNamespace(namespace, deployment_id);
    return { deployment_id, claim: claimOn(service, clusterId, { deployment_id, namespace }) };
  }

  test('are in the namespace before the answer, and are not written again for the next task', async () => {
    const { deployment_id, claim } = await claimed('creds-claimed');

    const first = await write(claim);
    const { expires_at, access_token } = await contentsIn('creds-claimed');
    const second = await write(claim);

    expect(first).toEqual({ expires_at, reason: null });
    expect(second).toEqual(first);
    expect(access_token).toContain(deployment_id);
    expect(issuedTo(deployment_id)).toBe(1);
  });

  test('are written into a namespace that is created while the call waits for it', async () => {
    const deployment_id = randomUUID();
    service.callers.set(deployment_id, envId);
    const claim = claimOn(service, clusterId, { deployment_id, namespace: 'creds-early' });

    const writing = write(claim);
    await soon(async () => expect(issuedTo(deployment_id)).toBe(1));
    await createNamespace('creds-early', deployment_id);

    const { expires_at } = await writing;
    expect(await contentsIn('creds-early')).toMatchObject({ expires_at });
  });

  test('are not written for the claim of another runner, nor on an ignored cluster', async () => {
    const { deployment_id, claim } = await claimed('creds-stale');

    await expect(write({ ...claim, fence: 6 })).rejects.toMatchObject({ code: 'conflict' });
    await service.db.query(sql.unsafe`update k8s_clusters set ignore = true where id = ${clusterId}`);
    await expect(write(claim)).rejects.toMatchObject({ code: 'unavailable', message: 'The cluster real is ignored' });
    await service.db.query(sql.unsafe`update k8s_clusters set ignore = false where id = ${clusterId}`);

    expect(issuedTo(deployment_id)).toBe(0);
    expect(await hasSecret('creds-stale')).toBe(false);
  });

  test('are not written for a plan', async () => {
    const { deployment_id } = await claimed('creds-planned');
    const claim = claimOn(service, clusterId, { deployment_id, namespace: 'creds-planned', is_dry_run: true });

    await expect(write(claim)).rejects.toMatchObject({ code: 'forbidden' });

    expect(issuedTo(deployment_id)).toBe(0);
    expect(await hasSecret('creds-planned')).toBe(false);
  });

  test('are left out, with the reason, for a deployment that moved to another env', async () => {
    const { deployment_id, claim } = await claimed('creds-moved');
    service.callers.set(deployment_id, otherEnvId);

    expect(await write(claim)).toEqual({ expires_at: null, reason: 'The deployment is in another env' });
    expect(await hasSecret('creds-moved')).toBe(false);
  });

  test('are refused if the chart has a Secret of that name', async () => {
    const { claim } = await claimed('creds-of-chart');
    await admin.postJson(
      '/api/v1/namespaces/creds-of-chart/secrets',
      {
        metadata: {
          name: 'service-creds',
          labels: { 'app.kubernetes.io/managed-by': 'Helm' },
          annotations: { 'meta.helm.sh/release-name': 'creds-of-chart' },
        },
      },
      call(),
    );

    await expect(write(claim)).rejects.toMatchObject({
      code: 'conflict',
      message: 'The chart has a Secret named service-creds; the name belongs to Berth',
    });
  });

  test('are not written into a namespace of somebody else', async () => {
    const { deployment_id } = await claimed('creds-own');
    const claim = claimOn(service, clusterId, { deployment_id, namespace: 'kube-public' });

    await expect(write(claim)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await hasSecret('kube-public')).toBe(false);
  });
});

describe('the same credentials under their upstream name', () => {
  const writeUpstream = (body: { task_id: string; fence: number }) =>
    service.runner.call(deploymentCredentials.operations.write_upstream, { body }, { deadlineMs: 10_000 });
  const upstreamPath = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets/platz-creds`;
  const Found = z.object({ data: z.record(z.string(), z.string()).default({}) });
  const upstreamIn = async (namespace: string) =>
    Found.parse(await admin.getJson(upstreamPath(namespace), call())).data;
  const claimOf = (deployment_id: string, namespace: string) =>
    claimOn(service, clusterId, { deployment_id, namespace });

  test('hold the token of service-creds, and are refreshed with it', async () => {
    const { id, secret } = await withCredentials('upstream-new');
    const issuedBefore = issuedTo(id);

    expect(await writeUpstream(claimOf(id, 'upstream-new'))).toEqual({ reason: null });

    expect(await upstreamIn('upstream-new')).toEqual(secret.data);
    expect(issuedTo(id)).toBe(issuedBefore);
    await service.db.query(sql.unsafe`update service_credentials set refresh_at = now() where deployment_id = ${id}`);
    await soon(async () =>
      expect((await upstreamIn('upstream-new'))['access_token']).not.toBe(secret.data['access_token']),
    );
    expect(await upstreamIn('upstream-new')).toEqual((await secretIn('upstream-new')).data);
  });

  test('come with service-creds where these are missing', async () => {
    const id = randomUUID();
    service.callers.set(id, envId);
    await createNamespace('upstream-first', id);

    expect(await writeUpstream(claimOf(id, 'upstream-first'))).toEqual({ reason: null });

    expect(await upstreamIn('upstream-first')).toEqual((await secretIn('upstream-first')).data);
    expect(issuedTo(id)).toBe(1);
  });

  test.for([
    ['a chart', { 'app.kubernetes.io/managed-by': 'Helm' }],
    ['a person', {}],
  ] as const)('do not replace a Secret of that name that %s has made, now or at a refresh', async ([whose, labels]) => {
    const namespace = `upstream-of-${whose.replace('a ', '')}`;
    const { id, secret } = await withCredentials(namespace);
    const data = { access_token: Buffer.from('theirs').toString('base64') };
    await admin.postJson(
      `/api/v1/namespaces/${namespace}/secrets`,
      { metadata: { name: 'platz-creds', labels }, data },
      call(),
    );

    expect(await writeUpstream(claimOf(id, namespace))).toEqual({
      reason: `the namespace ${namespace} has a Secret platz-creds that Berth has not made`,
    });

    await service.db.query(sql.unsafe`update service_credentials set refresh_at = now() where deployment_id = ${id}`);
    await soon(async () =>
      expect((await secretIn(namespace)).data['access_token']).not.toBe(secret.data['access_token']),
    );
    expect(await upstreamIn(namespace)).toEqual(data);
  });

  test('are removed for a release that brings its own Secret of that name, and stay away', async () => {
    const { id, secret } = await withCredentials('upstream-removed');
    const claim = claimOf(id, 'upstream-removed');
    const remove = () =>
      service.runner.call(deploymentCredentials.operations.remove_upstream, { body: claim }, { deadlineMs: 10_000 });
    await writeUpstream(claim);

    expect([await remove(), await remove()]).toEqual([null, null]);

    await expect(upstreamIn('upstream-removed')).rejects.toMatchObject({ status: 404 });
    await service.db.query(sql.unsafe`update service_credentials set refresh_at = now() where deployment_id = ${id}`);
    await soon(async () =>
      expect((await secretIn('upstream-removed')).data['access_token']).not.toBe(secret.data['access_token']),
    );
    await expect(upstreamIn('upstream-removed')).rejects.toMatchObject({ status: 404 });
  });

  test('follow once the Secret of an earlier release is gone', async () => {
    const { id } = await withCredentials('upstream-later');
    const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
    await admin.postJson(
      '/api/v1/namespaces/upstream-later/secrets',
      { metadata: { name: 'platz-creds', labels } },
      call(),
    );
    await writeUpstream(claimOf(id, 'upstream-later'));

    await admin.deleteJson(upstreamPath('upstream-later'), {}, call());
    await service.db.query(sql.unsafe`update service_credentials set refresh_at = now() where deployment_id = ${id}`);

    await soon(async () => expect(await upstreamIn('upstream-later')).toEqual((await secretIn('upstream-later')).data));
  });

  test('are not written for the claim of another runner, nor for a plan', async () => {
    const { id } = await withCredentials('upstream-refused');
    const claim = claimOf(id, 'upstream-refused');
    const plan = claimOn(service, clusterId, {
      deployment_id: id,
      namespace: 'upstream-refused',
      is_dry_run: true,
    });

    await expect(writeUpstream({ ...claim, fence: 6 })).rejects.toMatchObject({ code: 'conflict' });
    await expect(writeUpstream(plan)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(upstreamIn('upstream-refused')).rejects.toMatchObject({ status: 404 });
  });
});

test('during the transition, deployments of a listed cluster share the account of the previous version and are not contained', async () => {
  await applyRbac(admin, 'runner');
  const sharedId = await service.addCluster({ name: 'shared', envId });
  const subjectOf = (kubeconfig = '') =>
    Buffer.from(accessIn(kubeconfig, 'berth').token?.split('.')[1] ?? '', 'base64url').toString();
  const { issue } = clusterAccess.operations;
  const { enter } = deploymentNamespaces.operations;
  const claim = (id: string) => claimOn(service, id, { namespace: 'sharing' });
  const call = { deadlineMs: 10_000 };

  const issued = await service.runner.call(issue, { body: claim(sharedId) }, call);
  expect(subjectOf(issued.kubeconfig)).toContain('berth-system:berth-runner');
  await expect(service.runner.call(issue, { body: claim(clusterId) }, call)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('runner is too old'),
  });

  const entered = await service.runner.call(enter, { body: { ...claim(sharedId), needed_seconds: 600 } }, call);
  expect(entered).toMatchObject({ state: 'entered', is_new: true, is_shared_account: true, cluster_roles: [] });
  expect(subjectOf(entered.access?.kubeconfig)).toContain('berth-system:berth-runner');
  const { metadata } = NamespaceObject.parse(
    await admin.getJson('/api/v1/namespaces/sharing', { ...call, signal: AbortSignal.timeout(10_000) }),
  );
  expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/warn': 'baseline' });
  expect(metadata.labels).not.toHaveProperty('pod-security.kubernetes.io/enforce');
});

test('no token is in a row of the database or in the log', async () => {
  const rows = JSON.stringify(await service.db.any(sql.unsafe`select * from service_credentials`));

  expect(service.issued.length).toBeGreaterThan(0);
  expect(rows).toContain('digest');
  for (const text of [rows, lines.join('')]) expect(text).not.toMatch(/token-\d+-of-/);
});
