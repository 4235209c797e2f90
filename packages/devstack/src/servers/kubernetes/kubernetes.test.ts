import { readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createPart } from '../../stack/part.ts';
import { serverStart, startForTest, toolsForTest } from '../../testing/with-servers.ts';
import { type KubernetesTool, kubernetesTools } from './component-arguments.ts';
import { connectKubeApi, type KubeApi } from './kube-api.ts';
import { type KubernetesServer, startKubernetes } from './kubernetes.ts';

let tools: Record<KubernetesTool, string>;
beforeAll(async () => {
  tools = await toolsForTest(...kubernetesTools);
}, 20 * 60_000);

describe('a started cluster', () => {
  let start: Awaited<ReturnType<typeof serverStart>>;
  let cluster: KubernetesServer;
  let api: KubeApi;
  beforeAll(async () => {
    start = await serverStart();
    cluster = await startKubernetes({ ...start, tools, durable: false });
    api = await apiOf(cluster);
  });
  // Also ends a cluster that never became ready.
  afterAll(() => start[Symbol.asyncDispose]());

  test('has three nodes that are ready', async () => {
    const { items } = List.parse(await read(api, '/api/v1/nodes'));

    expect(items.map(({ metadata }) => metadata.name)).toEqual(['simulated-1', 'simulated-2', 'simulated-3']);
  });

  test('reports its Kubernetes version', async () => {
    expect(await read(api, '/version')).toMatchObject({ major: '1', minor: '36', gitVersion: 'v1.36.3' });
  });

  test('refuses clients without a certificate', async () => {
    const { ca } = await identityOf(cluster);
    const anonymous = connectKubeApi({ url: cluster.url, ca, cert: '', key: '' });

    const { status } = await anonymous.get('/api/v1/namespaces', AbortSignal.timeout(20_000));

    expect(status).toBe(403);
    anonymous.close();
  });

  test('keeps its kubeconfig readable only by the owner', async () => {
    expect((await stat(cluster.kubeconfigFile)).mode & 0o777).toBe(0o600);
  });

  test('runs the pods of a deployment', async () => {
    await apply(api, '/apis/apps/v1/namespaces/default/deployments/hello', deployment('hello', 2));

    await expect
      .poll(() => read(api, '/apis/apps/v1/namespaces/default/deployments/hello'))
      .toMatchObject({ status: { readyReplicas: 2, availableReplicas: 2 } });
  });

  test('binds a claim, and removes the volume with it', async () => {
    const path = '/api/v1/namespaces/default/persistentvolumeclaims/data';
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await apply(api, path, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec });

    await expect.poll(() => read(api, path)).toMatchObject({ status: { phase: 'Bound' } });

    await api.remove(path, AbortSignal.timeout(20_000));
    await expect.poll(async () => List.parse(await read(api, '/api/v1/persistentvolumes')).items).toEqual([]);
  });

  test('completes jobs, and fails those with the label for failures', async () => {
    await apply(api, '/apis/batch/v1/namespaces/default/jobs/good', job('good', {}));
    await apply(api, '/apis/batch/v1/namespaces/default/jobs/bad', job('bad', { 'berth.dev/simulate': 'fail' }));

    const status = (name: string) => read(api, `/apis/batch/v1/namespaces/default/jobs/${name}/status`);
    await expect.poll(() => status('good')).toMatchObject({ status: { succeeded: 1 } });
    await expect.poll(() => status('bad')).toMatchObject({ status: { failed: 1 } });
  });

  test.for([
    [
      'image-pull-error',
      { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] },
    ],
    [
      'crash-loop',
      {
        phase: 'Running',
        containerStatuses: [{ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      },
    ],
    ['not-ready', { phase: 'Running', containerStatuses: [{ ready: false, state: { running: {} } }] }],
  ] as const)('simulates %s on a pod with its label', async ([behaviour, status]) => {
    const path = `/api/v1/namespaces/default/pods/${behaviour}`;
    const metadata = { name: behaviour, annotations: { 'berth.dev/simulate': behaviour } };
    await apply(api, path, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } });

    await expect.poll(() => read(api, path)).toMatchObject({ status });
  });
});

test('a restarted cluster has its objects, and its pods still run', async () => {
  const start = await startForTest();
  const first = await startKubernetes({ ...start, tools, durable: true });
  const before = await apiOf(first);
  await apply(before, '/apis/apps/v1/namespaces/default/deployments/kept', deployment('kept', 1));
  const isReady = { status: { readyReplicas: 1 } };
  const path = '/apis/apps/v1/namespaces/default/deployments/kept';
  await expect.poll(() => read(before, path)).toMatchObject(isReady);
  before.close();

  await first.stop();
  const second = await startKubernetes({ ...start, tools, durable: true });

  const after = await apiOf(second);
  expect(second.url).toBe(first.url);
  expect(await read(after, path)).toMatchObject(isReady);
  after.close();
  await second.stop();
});

test('a killed cluster leaves no process behind and restarts on the same state', async () => {
  const start = await startForTest();
  const onDeath = vi.fn<(error: Error) => void>();
  const run = () => startKubernetes({ ...start, tools, durable: false });
  const part = createPart({ name: 'kubernetes', start: run, onDeath });
  await part.start();
  const { components, url } = part.server();
  const before = await apiOf(part.server());
  await apply(before, '/api/v1/namespaces/kept', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kept' } });
  before.close();

  await part.kill();
  expect(components.filter(({ pid }) => isRunning(pid)).map(({ name }) => name)).toEqual([]);
  await part.start();

  const after = await apiOf(part.server());
  expect(part.server().url).toBe(url);
  expect(await read(after, '/api/v1/namespaces/kept')).toMatchObject({ metadata: { name: 'kept' } });
  expect(onDeath).not.toHaveBeenCalled();
  after.close();
  await part.stop();
});

test('a part of the cluster that dies is reported by name', async () => {
  const start = await startForTest();
  const cluster = await startKubernetes({ ...start, tools, durable: false });

  process.kill(cluster.components.find(({ name }) => name === 'kube-scheduler')?.pid ?? 0, 'SIGKILL');

  expect((await cluster.died).message).toContain('kube-scheduler ended by itself with SIGKILL');
  await cluster.stop();
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const List = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

const containers = [{ name: 'main', image: 'example.test/hello:1' }];

function deployment(name: string, replicas: number) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}

function job(name: string, annotations: Record<string, string>) {
  const template = { metadata: { annotations }, spec: { restartPolicy: 'Never', containers } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { backoffLimit: 0, template } };
}

const apply = (api: KubeApi, path: string, object: object) => api.apply(path, object, AbortSignal.timeout(20_000));

async function read(api: KubeApi, path: string): Promise<unknown> {
  return JSON.parse((await api.get(path, AbortSignal.timeout(20_000))).body);
}

const Kubeconfig = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': z.base64() }) }),
  ]),
  users: z.tuple([
    z.object({ user: z.object({ 'client-certificate-data': z.base64(), 'client-key-data': z.base64() }) }),
  ]),
});

/** Access from the kubeconfig, as any user of the cluster has it. */
async function identityOf({ kubeconfigFile }: KubernetesServer) {
  const { clusters, users } = Kubeconfig.parse(parse(await readFile(kubeconfigFile, 'utf8')));
  const pem = (data: string) => Buffer.from(data, 'base64').toString();
  return {
    url: clusters[0].cluster.server,
    ca: pem(clusters[0].cluster['certificate-authority-data']),
    cert: pem(users[0].user['client-certificate-data']),
    key: pem(users[0].user['client-key-data']),
  };
}

const apiOf = async (cluster: KubernetesServer) => connectKubeApi(await identityOf(cluster));
