import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountToken, applyRbac, manifestsIn } from '@berth/devstack/testing/apply-rbac';
import { openKubeApi } from '@berth/kube/kube-api';
import { clusterAccess } from '@berth/contracts/resources/clusters/cluster-access';
import type { DeploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import { type K8sCluster, k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { k8sEvents } from '@berth/contracts/resources/clusters/k8s-events';
import { type K8sResource, k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import { isJsonObject } from '@berth/contracts/fields/json';
import { found } from '@berth/contracts/errors';
import { identityToken, sampleIdentities, samplePlaces } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { createClusterDirectory } from '../src/discovery/cluster-directory.ts';
import { ownAccess, ownClusterProvider } from '../src/providers/own-cluster.ts';
import { accessIssuer } from '../src/access/access-issuer.ts';
import { runnerObjects, usualRunnerAccount } from '../src/access/runner-account.ts';
import { accessIn, type ClusterInTest, startClusterInTest } from './support/cluster-in-test.ts';
import { kubeRequest } from './support/kube-request.ts';
import { claimOn } from './support/neighbours.ts';
import { type ServiceProcess, startServiceProcess } from './support/service-process.ts';

const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';
const canary = 'canary-token-that-must-stay-secret';

let cluster: ClusterInTest;
let service: ServiceProcess;
let folder: string | undefined;
/** The token of the account of `deploy/rbac/cluster-sync.yaml`, the only credential that the service has for the real cluster. */
let token: string;

beforeAll(async () => {
  cluster = await startClusterInTest();
  const admin = openKubeApi(cluster.access);
  await applyRbac(admin, 'cluster-sync', 'runner', 'cluster-secrets');
  token = await accountToken(admin, 'berth-cluster-sync');
  admin[Symbol.dispose]();
  folder = await mkdtemp(join(tmpdir(), 'berth-kubeconfig-'));
  const kubeconfig = join(folder, 'kubeconfig.yaml');
  await writeFile(kubeconfig, kubeconfigWithOthers());
  await writeFile(join(folder, 'token'), `${token}\n`);
  await writeFile(join(folder, 'ca.crt'), cluster.access.ca ?? '');
  const { hostname, port } = new URL(cluster.access.server);
  service = await startServiceProcess({
    CLUSTER_KUBECONFIG: kubeconfig,
    CLUSTERS_IGNORE_NEW: 'false',
    CLUSTER_REDISCOVER_SECONDS: '1',
    CLUSTER_SECRETS_NAMESPACE: 'berth-clusters',
    CLUSTER_SERVICE_ACCOUNT_FOLDER: folder,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
  });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** The real cluster, one behind a closed port, one whose credential is a program, and one with a wrong token. */
function kubeconfigWithOthers(): string {
  const { server, ca } = cluster.access;
  const authority = { 'certificate-authority-data': Buffer.from(ca ?? '').toString('base64') };
  return stringify({
    clusters: [
      { name: 'real', cluster: { server, ...authority } },
      { name: 'dead', cluster: { server: 'https://127.0.0.1:9', ...authority } },
    ],
    users: [
      { name: 'account', user: { token } },
      { name: 'somebody', user: { token: canary } },
      { name: 'program', user: { exec: { command: 'touch', args: ['was-run'] } } },
    ],
    contexts: [
      { name: 'real', context: { cluster: 'real', user: 'account' } },
      { name: 'dead', context: { cluster: 'dead', user: 'somebody' } },
      { name: 'refused', context: { cluster: 'real', user: 'program' } },
      { name: 'wrong', context: { cluster: 'real', user: 'somebody' } },
    ],
  });
}

const asAdmin = async () => ({ identityToken: await identityToken(sampleIdentities.siteAdmin, 'cluster-sync') });

async function clusterNamed(name: string): Promise<K8sCluster> {
  const { items } = await service.gateway.call(k8sClusters.operations.list, { query: { name } }, await asAdmin());
  return found(items[0], `cluster named ${name}`);
}

async function tracked(query: { kind?: string; name?: string; deployment_id?: string }): Promise<K8sResource[]> {
  const request = { query: { per_page: 100, sort: 'kind', ...query } };
  return (await service.gateway.call(k8sResources.operations.list, request, await asAdmin())).items;
}

const Child = z.object({ parent: z.object({ resource_id: z.string() }) });

/** The kinds of the children of each kind, according to the parents in the rows. */
function childrenOf(rows: readonly K8sResource[]): Record<string, string[]> {
  const children: Record<string, string[]> = {};
  for (const { kind, metadata } of rows) {
    const parent = rows.find(({ id }) => id === Child.safeParse(metadata).data?.parent.resource_id);
    if (parent) (children[parent.kind] ??= []).push(kind);
  }
  return children;
}

const placeIn = (namespace: string): DeploymentPlace => ({
  id: deploymentId,
  kind_id: samplePlaces.kindId,
  env_id: samplePlaces.envId,
  cluster_id: randomUUID(),
  namespace,
  status: 'Running',
  revision_id: null,
});

const soon = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 60_000, interval: 50 });

const kubectl = (...[method, path, body]: [Parameters<typeof kubeRequest>[1], string, object?]) =>
  kubeRequest(cluster.access, method, path, body);

async function apply(path: string, object: object): Promise<void> {
  const { status, body } = await kubectl('POST', path, object);
  if (status >= 300) throw new Error(`${path}: ${status} ${body}`);
}

const namespaceFor = (name: string, id: string) => ({
  metadata: {
    name,
    labels: { 'app.kubernetes.io/managed-by': 'berth' },
    annotations: { 'berth.dev/deployment-id': id },
  },
});

const podTemplate = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] },
};
const webDeployment = (replicas: number) => ({
  metadata: { name: 'web' },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: podTemplate },
});

test('every context becomes a cluster, and one that answers is ok', async () => {
  await soon(async () => expect(await clusterNamed('real')).toMatchObject({ is_ok: true, not_ok_reason: null }));

  expect(await clusterNamed('real')).toMatchObject({
    provider_id: 'kubeconfig:real',
    region_name: 'kubeconfig',
    env_id: null,
    ignore: false,
  });
});

test.for([
  ['dead', '127.0.0.1:9 refused the connection'],
  ['wrong', 'refused the credential of Berth (401)'],
  ['refused', 'the user field exec is not accepted'],
] as const)('the cluster %s is not ok, with the reason: %s', async ([name, reason]) => {
  await soon(async () =>
    expect(await clusterNamed(name)).toMatchObject({ is_ok: false, not_ok_reason: expect.stringContaining(reason) }),
  );
});

/** A kubeconfig with one context of that name, at a port where nobody listens. */
const elsewhere = (name: string, user: object = { token: canary }) =>
  stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:9' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name, context: { cluster: 'c', user: 'u' } }],
  });

test('a labelled Secret defines clusters, is read again when it changes, and flags them when it is deleted', async () => {
  const path = '/api/v1/namespaces/berth-clusters/secrets';
  const labels = { 'berth.dev/cluster': 'true' };
  const reasonOf = async (name: string) => (await clusterNamed(name)).not_ok_reason;
  await apply(path, { metadata: { name: 'customer', labels }, stringData: { kubeconfig: elsewhere('first') } });
  await apply(path, { metadata: { name: 'other' }, stringData: { kubeconfig: elsewhere('unlabelled') } });
  await soon(async () => expect(await reasonOf('first')).toBe('127.0.0.1:9 refused the connection'));
  expect(await clusterNamed('first')).toMatchObject({
    provider_id: 'secret:berth-clusters/customer:first',
    region_name: 'secret',
  });

  const change = (kubeconfig: string) => kubectl('PATCH', `${path}/customer`, { stringData: { kubeconfig } });
  await change('{ broken');
  await soon(async () => expect(service.log()).toContain('the Secret customer: the kubeconfig is not valid YAML'));
  expect(await reasonOf('first')).toBe('127.0.0.1:9 refused the connection');

  await change(elsewhere('second', { exec: { command: 'touch' } }));
  await soon(async () => expect(await reasonOf('second')).toContain('the user field exec is not accepted'));
  const gone = 'it is no longer in the labelled Secrets of berth-clusters';
  await soon(async () => expect(await reasonOf('first')).toBe(gone));
  await kubectl('DELETE', `${path}/customer`);
  await soon(async () => expect(await reasonOf('second')).toBe(gone));
  await expect(clusterNamed('unlabelled')).rejects.toMatchObject({ code: 'not_found' });
  expect(await clusterNamed('real')).toMatchObject({ is_ok: true });
});

test('the cluster that the service runs in is reached with the files of its service account', async () => {
  const { hostname: host, port } = new URL(cluster.access.server);
  const access = ownAccess({ folder: folder ?? '', host, port });
  const provider = ownClusterProvider({ name: 'here', access }, 1_000);

  const found = await provider.find(AbortSignal.timeout(5_000));
  using directory = createClusterDirectory();
  directory.replace(provider.prefix, found);

  expect(found.clusters).toMatchObject([{ provider_id: 'own:here', name: 'here', refused: null }]);
  const call = { signal: AbortSignal.timeout(10_000), deadlineMs: 10_000 };
  const answer = await directory.connectionTo('own:here')?.api.getJson('/api/v1/namespaces/default', call);
  expect(answer).toMatchObject({ metadata: { name: 'default' } });
});

test('the state of a cluster is published', async () => {
  const { id } = await clusterNamed('real');
  const stop = new AbortController();

  const row = await new Promise<unknown>((resolve, reject) => {
    service.tasks.state
      .follow(k8sClusters, {
        signal: stop.signal,
        apply: async (message) => {
          if (message.id === id) resolve(message.row);
        },
      })
      .catch(reject);
  });
  stop.abort();

  expect(row).toMatchObject({ id, is_ok: true });
});

test('objects in the namespace of a deployment are tracked from creation to deletion', async () => {
  await apply('/api/v1/namespaces', namespaceFor('web-one', deploymentId));
  await apply('/apis/apps/v1/namespaces/web-one/deployments', webDeployment(2));
  await apply('/api/v1/namespaces/web-one/services', {
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });

  await soon(async () => {
    const rows = await tracked({ deployment_id: deploymentId });
    expect(rows.map(({ kind }) => kind)).toEqual(['Deployment', 'Namespace', 'Pod', 'Pod', 'ReplicaSet', 'Service']);
    expect(childrenOf(rows)).toEqual({ Deployment: ['ReplicaSet'], ReplicaSet: ['Pod', 'Pod'] });
    expect(rows[0]).toMatchObject({ name: 'web', api_version: 'apps/v1', status_color: ['Success', 'Success'] });
    expect(rows[2]).toMatchObject({ status_color: ['Success'], metadata: { namespace: 'web-one' } });
  });

  await kubectl('PATCH', '/apis/apps/v1/namespaces/web-one/deployments/web', { spec: { replicas: 1 } });
  await soon(async () => {
    const rows = await tracked({ deployment_id: deploymentId });
    expect(rows.filter(({ kind }) => kind === 'Pod')).toHaveLength(1);
    expect(rows[0]).toMatchObject({ status_color: ['Success'] });
  });

  await kubectl('DELETE', '/api/v1/namespaces/web-one');
  await soon(async () => expect(await tracked({ deployment_id: deploymentId })).toEqual([]));
});

test('objects of all kinds are tracked, jobs with one colour per pod', async () => {
  const id = 'a0e1c2d3-7a7e-4a5f-9f0e-6a5a0f7f3f11';
  await apply('/api/v1/namespaces', namespaceFor('kinds', id));
  const spec = { selector: { matchLabels: { app: 'web' } }, template: podTemplate };
  const jobTemplate = { spec: { template: { spec: { ...podTemplate.spec, restartPolicy: 'Never' } } } };
  await apply('/apis/apps/v1/namespaces/kinds/statefulsets', {
    metadata: { name: 'set' },
    spec: { ...spec, serviceName: 'web', replicas: 0 },
  });
  await apply('/apis/apps/v1/namespaces/kinds/daemonsets', { metadata: { name: 'daemon' }, spec });
  await apply('/apis/batch/v1/namespaces/kinds/jobs', { metadata: { name: 'job' }, ...jobTemplate });
  await apply('/apis/batch/v1/namespaces/kinds/cronjobs', {
    metadata: { name: 'cron' },
    spec: { schedule: '0 0 1 1 *', jobTemplate },
  });
  await apply('/apis/networking.k8s.io/v1/namespaces/kinds/ingresses', {
    metadata: { name: 'ingress' },
    spec: { rules: [{ host: 'web.example.com' }] },
  });
  await apply('/api/v1/namespaces/kinds/persistentvolumeclaims', {
    metadata: { name: 'claim' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });

  await soon(async () => {
    const rows = await tracked({ deployment_id: id });
    const colors = new Map(rows.map(({ kind, status_color }) => [kind, status_color]));
    expect(colors.get('DaemonSet')).toEqual(['Success', 'Success', 'Success']);
    expect(colors.get('StatefulSet')).toEqual([]);
    expect(colors.get('PersistentVolumeClaim')).toEqual(['Success']);
    expect(colors.get('Job')).toHaveLength(1);
    expect(colors.get('CronJob')).toEqual([]);
    expect(rows.find(({ kind }) => kind === 'Ingress')?.metadata).toMatchObject({
      summary: { hosts: 'web.example.com' },
    });
  });
});

test('rows give the reason why an object is not healthy', async () => {
  const id = 'c0e1c2d3-7a7e-4a5f-9f0e-6a5a0f7f3f13';
  await apply('/api/v1/namespaces', namespaceFor('stuck', id));
  await apply('/api/v1/namespaces/stuck/resourcequotas', { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } });
  await apply('/apis/apps/v1/namespaces/stuck/deployments', webDeployment(1));
  await apply('/apis/apps/v1/namespaces/stuck/statefulsets', {
    metadata: { name: 'set' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: podTemplate, serviceName: 'web', replicas: 0 },
  });

  await soon(async () => {
    const rows = await tracked({ deployment_id: id });
    const causes = rows.map(({ kind, metadata }) => [kind, isJsonObject(metadata) ? metadata['cause'] : 'none']);
    expect(Object.fromEntries(causes)).toEqual({
      Deployment: 'FailedCreate',
      Namespace: undefined,
      ReplicaSet: 'FailedCreate',
      StatefulSet: undefined,
    });
    expect(rows.find(({ kind }) => kind === 'ReplicaSet')?.metadata).toMatchObject({
      message: expect.stringContaining('exceeded quota: none'),
    });
  });
});

test('the Kubernetes events of a deployment agree with its rows, newest first', async () => {
  const { id: cluster_id } = await clusterNamed('real');
  const deployment_id = 'c0e1c2d3-7a7e-4a5f-9f0e-6a5a0f7f3f13';
  const list = (namespace: string, id = deployment_id) => {
    const body = { cluster_id, deployment_id: id, namespace, query: {} };
    return service.tasks.call(k8sEvents.operations.list, { body }, { deadlineMs: 10_000 });
  };

  const { items } = await list('stuck');

  expect(items).toContainEqual(
    expect.objectContaining({
      type: 'Warning',
      reason: 'FailedCreate',
      message: expect.stringContaining('exceeded quota: none'),
      object: expect.objectContaining({ kind: 'ReplicaSet', resource_id: expect.any(String) }),
    }),
  );
  const [replicaSet] = await tracked({ deployment_id, kind: 'ReplicaSet' });
  expect(items.map(({ object }) => object.resource_id)).toContain(replicaSet?.id);
  const times = items.map(({ last_seen_at }) => last_seen_at);
  expect(times).toEqual(times.toSorted().toReversed());
  expect(await list('stuck', deploymentId)).toMatchObject({ items: [] });
});

test('the log of a pod whose node does not answer is unavailable', async () => {
  const id = 'e0e1c2d3-7a7e-4a5f-9f0e-6a5a0f7f3f15';
  await apply('/api/v1/namespaces', namespaceFor('logged', id));
  await apply('/apis/apps/v1/namespaces/logged/deployments', webDeployment(1));
  await soon(async () => expect(await tracked({ deployment_id: id, kind: 'Pod' })).toHaveLength(1));
  const [pod] = await tracked({ deployment_id: id, kind: 'Pod' });
  service.places.set(id, { ...placeIn('logged'), id });
  const body = { resource_id: found(pod, 'pod').id, position: null };
  const options = { ...(await asAdmin()), deadlineMs: 10_000 };

  const read = service.gateway.call(k8sResources.operations.log_part, { body }, options);

  await expect(read).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^The cluster real /),
  });
});

test('a namespace whose deletion hangs shows what blocks it, and is reported when it is gone', async () => {
  const id = 'd0e1c2d3-7a7e-4a5f-9f0e-6a5a0f7f3f14';
  await apply('/api/v1/namespaces', namespaceFor('held', id));
  const held = { metadata: { name: 'held', finalizers: ['example.com/hold'] } };
  await apply('/api/v1/namespaces/held/configmaps', held);
  await soon(async () => expect(await tracked({ deployment_id: id })).toHaveLength(1));
  const { id: cluster_id } = await clusterNamed('real');
  service.places.set(id, { ...placeIn('held'), id, cluster_id });

  await kubectl('DELETE', '/api/v1/namespaces/held');
  await soon(async () =>
    expect((await tracked({ deployment_id: id }))[0]?.metadata).toMatchObject({
      cause: 'SomeFinalizersRemain',
      message: expect.stringMatching(/^being deleted: .*example\.com\/hold in 1 resource.*configmaps\. has 1/),
    }),
  );
  expect(service.lost).toEqual([]);
  await kubectl('PATCH', '/api/v1/namespaces/held/configmaps/held', { metadata: { finalizers: null } });

  await soon(async () =>
    expect(service.lost).toMatchObject([
      { id, namespace: 'held', reason: 'The namespace held was deleted from the cluster while the deployment ran' },
    ]),
  );
});

test('a namespace that is labelled later is tracked with the objects already in it', async () => {
  const id = 'b0e1c2d3-7a7e-4a5f-9f0e-6a5a0f7f3f12';
  const { metadata } = namespaceFor('late', id);
  await apply('/api/v1/namespaces', { metadata: { name: 'late' } });
  await apply('/apis/apps/v1/namespaces/late/deployments', webDeployment(1));
  await soon(async () => expect((await kubectl('GET', '/api/v1/namespaces/late/pods')).body).toContain('web-'));
  expect(await tracked({ deployment_id: id })).toEqual([]);

  await kubectl('PATCH', '/api/v1/namespaces/late', { metadata });
  await soon(async () =>
    expect((await tracked({ deployment_id: id })).map(({ kind }) => kind)).toEqual([
      'Deployment',
      'Namespace',
      'Pod',
      'ReplicaSet',
    ]),
  );

  const withoutLabel = { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } };
  await kubectl('PATCH', '/api/v1/namespaces/late', withoutLabel);
  await soon(async () => expect(await tracked({ deployment_id: id })).toEqual([]));
});

test('a namespace without a deployment id is not tracked, nor are objects outside namespaces of deployments', async () => {
  await apply('/api/v1/namespaces', namespaceFor('anonymous', 'not-a-uuid'));
  await apply('/api/v1/namespaces/anonymous/services', { metadata: { name: 'svc' }, spec: { ports: [{ port: 1 }] } });
  await apply('/api/v1/namespaces', namespaceFor('marker', deploymentId));
  await soon(async () => expect(await tracked({ name: 'marker' })).toHaveLength(1));

  expect(await tracked({ name: 'svc' })).toEqual([]);
  expect(await tracked({ name: 'kubernetes' })).toEqual([]);
  expect(await tracked({ name: 'anonymous' })).toEqual([]);
});

const issue = async () => {
  const { id } = await clusterNamed('real');
  return service.runner.call(clusterAccess.operations.issue, { body: claimOn(service, id) }, { deadlineMs: 10_000 });
};

test('the issued kubeconfig needs neither programs nor files, and gives the access of the runner for an hour', async () => {
  const { kubeconfig, expires_at } = await issue();

  const access = accessIn(kubeconfig, 'berth');
  expect(access).toMatchObject({ server: cluster.access.server, ca: cluster.access.ca, certificate: null });
  const made = await kubeRequest(access, 'POST', '/api/v1/namespaces', { metadata: { name: 'made-by-runner' } });
  expect(made.status).toBe(201);
  const refused = await kubeRequest(access, 'GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles');
  expect(refused.status).toBe(403);
  const claims = JSON.parse(Buffer.from(access.token?.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({
    sub: 'system:serviceaccount:berth-system:berth-runner',
    exp: Date.parse(expires_at) / 1000,
  });
  expect(claims.exp - claims.iat).toBe(3600);
});

test('deleting the account of the runner revokes its tokens, and the reason names the file that restores it', async () => {
  const first = accessIn((await issue()).kubeconfig, 'berth');
  const account = '/api/v1/namespaces/berth-system/serviceaccounts/berth-runner';
  const inDefault = '/api/v1/namespaces/default/configmaps';
  await kubectl('DELETE', account);
  // A token becomes invalid with its account.
  await soon(async () => expect((await kubeRequest(first, 'GET', inDefault)).status).toBe(401));

  await expect(issue()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('apply deploy/rbac/runner.yaml'),
  });
  using admin = openKubeApi(cluster.access);
  await applyRbac(admin, 'runner');
  const second = accessIn((await issue()).kubeconfig, 'berth');

  expect((await kubeRequest(second, 'GET', inDefault)).status).toBe(200);
});

test('cluster-sync creates the account of the runner with its role if it is permitted to', async () => {
  using admin = openKubeApi(cluster.access);
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  for (const path of [`${rbac}/clusterrolebindings/berth-runner`, `${rbac}/clusterroles/berth-runner`]) {
    await kubectl('DELETE', path);
  }
  await kubectl('DELETE', '/api/v1/namespaces/berth-system/serviceaccounts/berth-runner');

  const issued = await accessIssuer({ accessSeconds: 600 })(
    { api: admin, access: cluster.access, token: null },
    AbortSignal.timeout(20_000),
  );

  const access = accessIn(issued.kubeconfig, 'berth');
  await soon(async () =>
    expect((await kubeRequest(access, 'GET', '/api/v1/namespaces/default/configmaps')).status).toBe(200),
  );
  expect((await kubeRequest(access, 'GET', `${rbac}/clusterroles`)).status).toBe(403);
});

test('the objects of deploy/rbac/runner.yaml are those that cluster-sync creates', async () => {
  expect(await manifestsIn('runner')).toEqual(runnerObjects(usualRunnerAccount).map(({ object }) => object));
});

test('access to a cluster that does not answer is unavailable, with the reason', async () => {
  const { id } = await clusterNamed('dead');

  const issued = service.runner.call(clusterAccess.operations.issue, { body: claimOn(service, id) });

  await expect(issued).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The cluster issued no access: 127.0.0.1:9 refused the connection',
  });
});

test('no credential appears in the log or in the outbox', async () => {
  const { kubeconfig } = await issue();
  const { token } = accessIn(kubeconfig, 'berth');

  const log = service.log();
  expect(log).toContain('access to a cluster issued');
  expect(log).not.toContain(token);
  expect(log).not.toContain(canary);
  expect(log).not.toContain('PRIVATE KEY');
  expect(JSON.stringify(await service.db.any(sql.unsafe`select row from outbox`))).not.toContain(canary);
});

test('a stopped API server makes its cluster not ok, and its changes are tracked when it is back', async () => {
  const { id, last_seen_at } = await clusterNamed('real');
  await cluster.stop();
  // As if the last answer came nearly a minute ago.
  await service.db.query(sql.unsafe`
      update k8s_clusters set last_seen_at = now() - interval '55 s' where id = ${id}
    `);

  await soon(async () =>
    expect(await clusterNamed('real')).toMatchObject({
      is_ok: false,
      not_ok_reason: expect.stringMatching(/refused the connection|cut the connection|not probed/),
    }),
  );
  expect(await tracked({ name: 'marker' })).toHaveLength(1);

  await cluster.start();
  await apply('/api/v1/namespaces', namespaceFor('afterwards', deploymentId));
  await soon(async () => expect(await clusterNamed('real')).toMatchObject({ is_ok: true }));
  await soon(async () => expect(await tracked({ name: 'afterwards' })).toHaveLength(1));
  expect(Date.parse((await clusterNamed('real')).last_seen_at)).toBeGreaterThan(Date.parse(last_seen_at));
});

test('cluster-sync stops at SIGTERM without an error', async () => {
  const before = service.log().length;
  expect(await service.stop()).toBe(0);
  const lines = service.log().slice(before).split('\n');
  expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
});
