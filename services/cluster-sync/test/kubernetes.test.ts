import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountToken, applyRbac, manifestsIn } from '@berth/devstack/testing/apply-rbac';
import { openKubeApi } from '@berth/kube/kube-api';
import { clusterAccess } from '@berth/contracts/resources/clusters/cluster-access';
import { deploymentNamespaces } from '@berth/contracts/resources/clusters/deployment-namespaces';
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
import { deployerRoleObject, deployersNamespaceObject } from '../src/access/deployer-account.ts';
import { createPrepareCluster } from '../src/access/prepare-cluster.ts';
import { accessIn, type ClusterInTest, startClusterInTest } from './support/cluster-in-test.ts';
import { kubeRequest } from './support/kube-request.ts';
import { claimOn } from './support/neighbours.ts';
import { namespaceMetadata, recordNamespace } from './support/own-namespace.ts';
import { type ServiceProcess, startServiceProcess } from './support/service-process.ts';

const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';
const canary = 'canary-token-that-must-stay-secret';

let cluster: ClusterInTest;
let service: ServiceProcess;
let folder: string | undefined;
/** The token of the account in `deploy/rbac/cluster-sync.yaml`, the service's only credential for the real cluster. */
let token: string;

beforeAll(async () => {
  cluster = await startClusterInTest();
  const admin = openKubeApi(cluster.access);
  await applyRbac(admin, 'cluster-sync', 'deployer', 'cluster-secrets');
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

/** Makes a namespace of a deployment as cluster-sync does: recorded first, then with its mark. */
async function applyOwn(name: string, deployment: string): Promise<void> {
  const clusterId = (await clusterNamed('real')).id;
  await recordNamespace(service.db, { clusterId, name, deploymentId: deployment });
  await apply('/api/v1/namespaces', { metadata: namespaceMetadata(name, deployment) });
}

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

/** A kubeconfig with one context of that name, at a closed port. */
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
  await applyOwn('web-one', deploymentId);
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
  await applyOwn('kinds', id);
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
  await applyOwn('stuck', id);
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

const inNamespace = (name: string, kind: string) =>
  kind === 'jobs' ? `/apis/batch/v1/namespaces/${name}/jobs` : `/apis/apps/v1/namespaces/${name}/${kind}`;

async function patchPod(namespace: string, status: (at: string, containers: object) => object): Promise<void> {
  const { items } = PodList.parse(JSON.parse((await kubectl('GET', `/api/v1/namespaces/${namespace}/pods`)).body));
  const [pod] = items;
  // Kubernetes counts in seconds, and a pod that becomes unready has been ready for longer.
  const at = new Date(Date.now() + 2_000).toISOString().replace(/\.\d+/, '');
  const { name } = found(pod, 'pod').metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
  const answer = await kubectl('PATCH', path, { status: status(at, found(pod, 'pod').status) });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.body}`);
}
const PodList = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }), status: z.looseObject({}) })),
});
const is = (type: string, status: string, lastTransitionTime: string, more: object = {}) => ({
  type,
  status,
  lastTransitionTime,
  ...more,
});
const unready = { reason: 'ContainersNotReady' };
const notReady = (at: string) => [is('Ready', 'False', at, unready), is('ContainersReady', 'False', at, unready)];
const web = (fields: object) => [
  { name: 'web', image: 'web:1', imageID: '', ready: false, restartCount: 1, ...fields },
];
const ended = (exitCode: number, reason: string) => ({
  terminated: { exitCode, reason, startedAt: null, finishedAt: null },
});

/** What happens to a running pod, and the first cause that is reported. */
const troubles: Record<string, { happens: (namespace: string) => Promise<void>; cause: [string, string] }> = {
  crash: {
    happens: (namespace) =>
      patchPod(namespace, (at) => ({
        conditions: notReady(at),
        containerStatuses: web({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended(1, 'Error') }),
      })),
    cause: ['Pod', 'CrashLoopBackOff'],
  },
  oom: {
    happens: (namespace) =>
      patchPod(namespace, (at) => ({
        conditions: notReady(at),
        containerStatuses: web({ state: ended(137, 'OOMKilled') }),
      })),
    cause: ['Pod', 'OOMKilled'],
  },
  unready: {
    happens: (namespace) => patchPod(namespace, (at) => ({ conditions: notReady(at) })),
    cause: ['Pod', 'ContainersNotReady'],
  },
  evicted: {
    happens: (namespace) =>
      patchPod(namespace, () => ({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory' })),
    cause: ['Pod', 'Evicted'],
  },
  'lost-node': {
    happens: (namespace) =>
      patchPod(namespace, (at) => ({ conditions: [is('Ready', 'False', at), is('ContainersReady', 'True', at)] })),
    cause: ['Pod', 'NodeLost'],
  },
  image: {
    happens: (namespace) =>
      patchPod(namespace, (at) => ({
        conditions: notReady(at),
        containerStatuses: web({ state: { waiting: { reason: 'ImagePullBackOff' } } }),
      })),
    cause: ['Pod', 'ImagePullBackOff'],
  },
  job: {
    happens: async (namespace) => {
      const template = {
        metadata: { annotations: { 'berth.dev/simulate': 'fail' } },
        spec: { ...podTemplate.spec, restartPolicy: 'Never' },
      };
      await apply(inNamespace(namespace, 'jobs'), { metadata: { name: 'job' }, spec: { backoffLimit: 0, template } });
    },
    cause: ['Job', 'BackoffLimitExceeded'],
  },
  volume: {
    happens: async (namespace) => {
      const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      await apply(path, { metadata: { name: 'data' }, spec });
      const Claim = z.object({
        spec: z.object({ volumeName: z.string() }),
        status: z.object({ phase: z.literal('Bound') }),
      });
      const claim = await soon(async () => Claim.parse(JSON.parse((await kubectl('GET', `${path}/data`)).body)));
      const volume = `/api/v1/persistentvolumes/${claim.spec.volumeName}`;
      await kubectl('DELETE', volume);
      await kubectl('PATCH', volume, { metadata: { finalizers: null } });
    },
    cause: ['PersistentVolumeClaim', 'ClaimLost'],
  },
};

test('a problem of a workload is reported with its first cause, stays while it lasts, and goes when the workload has recovered', async () => {
  const places = Object.keys(troubles).map((trouble) => ({ trouble, namespace: `ill-${trouble}`, id: randomUUID() }));
  const reportsOf = (id: string) => service.health.filter(({ deployment_id }) => deployment_id === id);
  const lastOf = (id: string) => reportsOf(id).at(-1)?.health;
  const changesOf = (id: string) => {
    const states = reportsOf(id).map(({ health }) => `${health.state} ${health.causes[0]?.cause ?? ''}`);
    return states.filter((state, index) => state !== states[index - 1] && state.startsWith('Degraded'));
  };
  for (const { namespace, id } of places) {
    await applyOwn(namespace, id);
    // The pod that follows an evicted one takes a while.
    const annotations = { 'berth.dev/ready-after': namespace === 'ill-evicted' ? '5s' : '0s' };
    const template = { ...podTemplate, metadata: { ...podTemplate.metadata, annotations } };
    const { metadata, spec } = webDeployment(1);
    await apply(inNamespace(namespace, 'deployments'), { metadata, spec: { ...spec, template } });
  }
  for (const { id } of places) {
    await soon(async () =>
      expect((await tracked({ deployment_id: id, kind: 'Deployment' }))[0]?.status_color).toEqual(['Success']),
    );
    await soon(async () => expect(lastOf(id)).toBeDefined());
  }

  await Promise.all(
    places.map(async ({ trouble, namespace, id }) => {
      const { happens, cause } = found(troubles[trouble], 'trouble');
      await happens(namespace);
      const [kind, name] = cause;
      await vi.waitFor(
        () => {
          expect(lastOf(id)?.state, trouble).toBe('Degraded');
          expect(lastOf(id)?.causes[0]).toMatchObject({ kind, cause: name });
        },
        { timeout: 20_000 },
      );
      expect(lastOf(id)?.reason).toMatch(new RegExp(`^${kind} [a-z0-9-]+: `));
    }),
  );

  // A new pod is well; the failed Job and the lost claim are removed.
  for (const { namespace } of places) {
    await kubectl('DELETE', `/api/v1/namespaces/${namespace}/pods`);
    await kubectl('DELETE', `${inNamespace(namespace, 'jobs')}/job?propagationPolicy=Background`);
    await kubectl('DELETE', `/api/v1/namespaces/${namespace}/persistentvolumeclaims/data`);
  }
  const recovering = sql.type(z.object({ deployment_id: z.string() }))`
    select deployment_id from health_roll_ups where held ->> 'observed' = 'Healthy' and held #>> '{shown,state}' <> 'Healthy'
  `;
  await soon(async () => {
    const ids = (await service.db.any(recovering)).map(({ deployment_id }) => deployment_id);
    expect(places.filter(({ id }) => !ids.includes(id)).map(({ trouble }) => trouble)).toEqual([]);
  });
  expect(places.map(({ id }) => lastOf(id)?.state)).toEqual(places.map(() => 'Degraded'));
  // As if they had been well for half a minute.
  await service.db.query(sql.unsafe`
    update health_roll_ups set due_at = now(), held = jsonb_set(held, '{left}', (
      select coalesce(jsonb_object_agg(key, to_char((value::timestamptz - interval '31 s') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), '{}')
      from jsonb_each_text(held -> 'left')
    )) where held is not null
  `);

  for (const { id } of places) {
    await soon(async () => expect(lastOf(id)).toMatchObject({ state: 'Healthy', reason: null, causes: [] }));
  }
  for (const { id, trouble } of places)
    expect(changesOf(id).length, `${trouble}: ${changesOf(id).join(', ')}`).toBeLessThan(4);
  const versions = places.map(({ id }) => reportsOf(id).map(({ version }) => version));
  for (const each of versions) expect(each).toEqual(each.toSorted((a, b) => a - b));
});

test('a workload that is scaled to nothing is suspended', async () => {
  const id = randomUUID();
  await applyOwn('idle', id);
  await apply(inNamespace('idle', 'deployments'), webDeployment(0));

  await soon(async () => {
    const report = service.health.findLast(({ deployment_id }) => deployment_id === id);
    expect(report).toMatchObject({ namespace: 'idle', health: { state: 'Suspended', reason: null, causes: [] } });
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
  await applyOwn('logged', id);
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
  await applyOwn('held', id);
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

test('a namespace of the previous version is tracked once tasks confirms its labels, and stays tracked when they change', async () => {
  const id = 'b0e1c2d3-7a7e-4a5f-9f0e-6a5a0f7f3f12';
  const labels = { 'app.kubernetes.io/managed-by': 'berth' };
  await apply('/api/v1/namespaces', { metadata: { name: 'late' } });
  await apply('/apis/apps/v1/namespaces/late/deployments', webDeployment(1));
  await soon(async () => expect((await kubectl('GET', '/api/v1/namespaces/late/pods')).body).toContain('web-'));
  expect(await tracked({ deployment_id: id })).toEqual([]);

  const cluster_id = (await clusterNamed('real')).id;
  service.places.set(id, { ...placeIn('late'), id, cluster_id, revision_id: randomUUID() });
  const annotations = { 'berth.dev/deployment-id': id };
  await kubectl('PATCH', '/api/v1/namespaces/late', { metadata: { labels, annotations } });
  const kinds = async () => (await tracked({ deployment_id: id })).map(({ kind }) => kind);
  const all = ['Deployment', 'Namespace', 'Pod', 'ReplicaSet'];
  await soon(async () => expect(await kinds()).toEqual(all));

  const changed = { labels: { ...labels, seen: 'yes' }, annotations: { 'berth.dev/deployment-id': deploymentId } };
  await kubectl('PATCH', '/api/v1/namespaces/late', { metadata: changed });
  await soon(async () => expect(JSON.stringify(await tracked({ name: 'late' }))).toContain('"seen":"yes"'));
  expect(await kinds()).toEqual(all);
});

test('a namespace that Berth did not create is not tracked, whatever its labels are, nor are objects outside namespaces of deployments', async () => {
  const claims = {
    ...namespaceMetadata('anonymous', deploymentId),
    annotations: { 'berth.dev/deployment-id': deploymentId },
  };
  await apply('/api/v1/namespaces', { metadata: claims });
  await apply('/api/v1/namespaces/anonymous/services', { metadata: { name: 'svc' }, spec: { ports: [{ port: 1 }] } });
  await applyOwn('marker', deploymentId);
  await soon(async () => expect(await tracked({ name: 'marker' })).toHaveLength(1));

  expect(await tracked({ name: 'svc' })).toEqual([]);
  expect(await tracked({ name: 'kubernetes' })).toEqual([]);
  expect(await tracked({ name: 'anonymous' })).toEqual([]);
});

const { enter, remove } = deploymentNamespaces.operations;
const call = { deadlineMs: 10_000 };
const within = { needed_seconds: 3_600 };

/** A claim of a task on the real cluster. */
const claimed = async (claim: Parameters<typeof claimOn>[2] = {}) =>
  claimOn(service, (await clusterNamed('real')).id, { deployment_id: randomUUID(), ...claim });
const enterBy = (claim: { task_id: string; fence: number }) =>
  service.runner.call(enter, { body: { ...claim, ...within } }, call);
const accessOf = async (claim: { task_id: string; fence: number }) =>
  accessIn((await enterBy(claim)).access?.kubeconfig ?? '', 'berth');
const uninstalling = { task: { action: 'uninstall', is_first: false } } as const;

test('a deployment enters its own namespace, which names it, with a token that can act only there and cannot change the namespace itself', async () => {
  const deployment_id = randomUUID();
  const entered = await enterBy(await claimed({ deployment_id, namespace: 'contained' }));
  expect(entered).toMatchObject({ state: 'entered', is_new: true, cluster_roles: [], is_shared_account: false });

  const access = accessIn(entered.access?.kubeconfig ?? '', 'berth');
  expect(access).toMatchObject({ server: cluster.access.server, ca: cluster.access.ca, certificate: null });
  const ask = (...[method, path, body]: [Parameters<typeof kubeRequest>[1], string, object?]) =>
    kubeRequest(access, method, path, body).then(({ status }) => status);
  const own = '/api/v1/namespaces/contained';
  await soon(async () => expect(await ask('GET', `${own}/secrets`)).toBe(200));
  expect(await ask('POST', `${own}/configmaps`, { metadata: { name: 'mine' } })).toBe(201);
  expect(await ask('GET', own)).toBe(200);
  for (const refused of [
    ask('PATCH', own, { metadata: { annotations: { 'berth.dev/deployment-id': randomUUID() } } }),
    ask('DELETE', own),
    ask('GET', '/api/v1/secrets'),
    ask('GET', '/api/v1/namespaces/default/secrets'),
    ask('GET', '/api/v1/namespaces/berth-deployers/serviceaccounts'),
    ask('GET', '/api/v1/namespaces'),
    ask('POST', '/api/v1/namespaces', { metadata: { name: 'another' } }),
    ask('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles'),
    ask('POST', `${own}/serviceaccounts/default/token`, { spec: {} }),
  ])
    expect(await refused).toBe(403);
  const claims = JSON.parse(Buffer.from(access.token?.split('.')[1] ?? '', 'base64url').toString());
  expect(claims.sub).toBe(`system:serviceaccount:berth-deployers:deployment-${deployment_id}`);
  expect(claims.exp - claims.iat).toBe(3600);
  const { metadata } = z
    .object({ metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }) })
    .parse(JSON.parse((await kubectl('GET', own)).body));
  expect(metadata.labels).toMatchObject({
    'app.kubernetes.io/managed-by': 'berth',
    'pod-security.kubernetes.io/enforce': 'baseline',
  });
  expect(metadata).toMatchObject({
    annotations: {
      'berth.dev/deployment-id': deployment_id,
      'berth.dev/deployment-name': 'web',
      'berth.dev/kind': 'Web',
      'berth.dev/hostname': 'web.apps.example.com',
    },
  });
});

test('a RoleBinding that a workload deleted, altered or holds with a finalizer is repaired at the next entry', async () => {
  const deployment_id = randomUUID();
  const again = () => claimed({ deployment_id, namespace: 'tampered', task: { action: 'deploy', is_first: false } });
  await enterBy(await claimed({ deployment_id, namespace: 'tampered' }));
  const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/tampered/rolebindings';
  const others = [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }];
  const damages = [
    () => kubectl('DELETE', `${bindings}/berth-deployer`),
    () => kubectl('PATCH', `${bindings}/berth-deployer`, { subjects: others }),
    async () => {
      await kubectl('PATCH', `${bindings}/berth-deployer`, { subjects: others, metadata: { finalizers: ['a.b/c'] } });
    },
  ];
  for (const damage of damages) {
    await damage();
    const access = await accessOf(await again());
    await soon(async () =>
      expect((await kubeRequest(access, 'GET', '/api/v1/namespaces/tampered/secrets')).status).toBe(200),
    );
  }
  const { items } = z
    .object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) })
    .parse(JSON.parse((await kubectl('GET', bindings)).body));
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['berth-deployer']);
});

test('an uninstall removes the namespace, its account with the tokens, and their records', async () => {
  const deployment_id = randomUUID();
  const access = await accessOf(await claimed({ deployment_id, namespace: 'leaving' }));
  const claim = await claimed({ deployment_id, namespace: 'leaving', ...uninstalling });
  await enterBy(claim);

  await soon(async () =>
    expect(await service.runner.call(remove, { body: claim }, call)).toMatchObject({ gone: true }),
  );

  expect((await kubectl('GET', '/api/v1/namespaces/leaving')).status).toBe(404);
  const account = `/api/v1/namespaces/berth-deployers/serviceaccounts/deployment-${deployment_id}`;
  expect((await kubectl('GET', account)).status).toBe(404);
  await soon(async () => expect((await kubeRequest(access, 'GET', '/api/v1/namespaces/leaving')).status).toBe(401));
  for (const table of ['deployment_namespaces', 'deployment_accounts'])
    expect(
      await service.db.any(sql.unsafe`
        select 1 from ${sql.identifier([table])} where deployment_id = ${deployment_id}
      `),
    ).toEqual([]);
});

test('a namespace is recognized by its uid: changed annotations have no effect, and one that somebody recreated is left alone', async () => {
  const deployment_id = randomUUID();
  const path = '/api/v1/namespaces/renamed';
  await enterBy(await claimed({ deployment_id, namespace: 'renamed' }));
  const stranger = randomUUID();
  const annotations = { 'berth.dev/deployment-id': stranger };
  await kubectl('PATCH', path, { metadata: { annotations, labels: { 'app.kubernetes.io/managed-by': null } } });

  const deploy = { action: 'deploy', is_first: false } as const;
  expect(await enterBy(await claimed({ deployment_id, namespace: 'renamed', task: deploy }))).toMatchObject({
    state: 'entered',
    is_new: false,
  });
  expect(await enterBy(await claimed({ deployment_id: stranger, namespace: 'renamed', task: deploy }))).toMatchObject({
    state: 'foreign',
    access: null,
  });

  const before = JSON.parse((await kubectl('GET', path)).body);
  await kubectl('DELETE', path);
  await soon(async () => expect((await kubectl('GET', path)).status).toBe(404));
  const { labels, annotations: copied } = before.metadata;
  const copy = {
    metadata: { name: 'renamed', labels, annotations: { ...copied, 'berth.dev/deployment-id': deployment_id } },
  };
  await apply('/api/v1/namespaces', copy);
  const claim = await claimed({ deployment_id, namespace: 'renamed', ...uninstalling });
  expect(await enterBy(claim)).toMatchObject({ state: 'foreign', access: null });
  expect(await service.runner.call(remove, { body: claim }, call)).toMatchObject({ gone: true });
  expect((await kubectl('GET', path)).status).toBe(200);
});

test('a plan does not create a namespace, and its token has no rights while there is none', async () => {
  const plan = await claimed({ namespace: 'planned', is_dry_run: true });

  const entered = await enterBy(plan);

  expect(entered).toMatchObject({ state: 'absent', is_new: false });
  const access = accessIn(entered.access?.kubeconfig ?? '', 'berth');
  expect((await kubeRequest(access, 'GET', '/apis/apps/v1')).status).toBe(200);
  expect((await kubeRequest(access, 'GET', '/api/v1/namespaces/planned/configmaps')).status).toBe(403);
  expect((await kubectl('GET', '/api/v1/namespaces/planned')).status).toBe(404);
  await expect(service.runner.call(remove, { body: plan }, call)).rejects.toMatchObject({ code: 'forbidden' });
});

test.for(['berth-deployers', 'berth-system', 'kube-system'])(
  'no deployment enters %s, whatever its name',
  async (namespace) => {
    await expect(enterBy(await claimed({ namespace }))).rejects.toMatchObject({ code: 'conflict' });
  },
);

test('without the cluster role of deployments the reason names the file that restores it, and cluster-sync creates it if it may', async () => {
  const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/berth-deployer';
  await kubectl('DELETE', role);
  using limited = openKubeApi({ ...cluster.access, token, certificate: null });
  const prepare = createPrepareCluster('berth-deployers');
  await expect(prepare(limited)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('apply deploy/rbac/deployer.yaml'),
  });

  using admin = openKubeApi(cluster.access);
  await createPrepareCluster('berth-deployers')(admin);

  await prepare(limited);
  expect(JSON.parse((await kubectl('GET', role)).body)).toMatchObject({
    rules: deployerRoleObject('berth-deployers').rules,
  });
});

test('the first objects of deploy/rbac/deployer.yaml are those that cluster-sync creates', async () => {
  const made = [deployersNamespaceObject('berth-deployers'), deployerRoleObject('berth-deployers')];
  expect((await manifestsIn('deployer')).slice(0, 2)).toEqual(made);
});

test('a runner of the previous version gets access only if the settings keep the shared account for the transition', async () => {
  const { id } = await clusterNamed('real');
  const issue = () => service.runner.call(clusterAccess.operations.issue, { body: claimOn(service, id) }, call);

  await expect(issue()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('runner is too old'),
  });
});

test('a namespace in a cluster that does not answer is unavailable, with the reason, and with the address only within the env of the task', async () => {
  const { id } = await clusterNamed('dead');
  const reason = () => enterBy(claimOn(service, id)).catch(({ code, message }) => [code, message]);

  const ofOthers = await reason();
  await service.db.query(sql.unsafe`update k8s_clusters set env_id = ${samplePlaces.envId} where id = ${id}`);
  const ofTask = await reason();
  await service.db.query(sql.unsafe`update k8s_clusters set env_id = null where id = ${id}`);

  const words = 'The cluster did not let a task into the namespace web';
  expect(ofOthers).toEqual(['unavailable', `${words}: its API server refused the connection`]);
  expect(ofTask).toEqual(['unavailable', `${words}: 127.0.0.1:9 refused the connection`]);
});

test('no credential appears in the log or in the outbox', async () => {
  const { token } = await accessOf(await claimed({ namespace: 'secretive' }));

  const log = service.log();
  expect(log).toContain('namespace entered');
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
  const isFollowed = () =>
    service.db.oneFirst(sql.type(z.object({ followed: z.boolean() }))`
    select followed from k8s_clusters where id = ${id}
  `);
  await soon(async () => expect(await isFollowed()).toBe(false));

  await cluster.start();
  await applyOwn('afterwards', deploymentId);
  await soon(async () => expect(await clusterNamed('real')).toMatchObject({ is_ok: true }));
  await soon(async () => expect(await tracked({ name: 'afterwards' })).toHaveLength(1));
  await soon(async () => expect(await isFollowed()).toBe(true));
  await soon(async () => expect(service.health.some(({ namespace }) => namespace === 'afterwards')).toBe(true));
  expect(Date.parse((await clusterNamed('real')).last_seen_at)).toBeGreaterThan(Date.parse(last_seen_at));
});

test('cluster-sync stops at SIGTERM without an error', async () => {
  const before = service.log().length;
  expect(await service.stop()).toBe(0);
  const lines = service.log().slice(before).split('\n');
  expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
});
