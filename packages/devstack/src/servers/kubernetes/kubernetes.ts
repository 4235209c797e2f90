import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { toolTable } from '../../tools/tool-table.ts';
import { ensureCertificates } from './certificates.ts';
import { clusterObjects } from './cluster-objects.ts';
import { apiUrl, type ClusterLayout, componentArguments, etcdUrl, type KubernetesTool } from './component-arguments.ts';
import { connectKubeApi, type KubeApi } from './kube-api.ts';
import { kubeconfig } from './kubeconfig.ts';
import { rememberedPorts, writePrivately } from '../remembered.ts';
import { type RunningServer, type ServerStart, startServerProcess } from '../server-process.ts';

export interface KubernetesStart extends ServerStart {
  readonly tools: Readonly<Record<KubernetesTool, string>>;
  /** False gives up durability in a power cut for speed; for tests only. */
  readonly durable: boolean;
  /** The name of the cluster in its kubeconfig. */
  readonly context?: string;
  readonly nodes?: number;
}

export interface KubernetesServer extends RunningServer {
  readonly url: string;
  readonly context: string;
  /** The administrator's kubeconfig, without references to files; only its owner can read it. */
  readonly kubeconfigFile: string;
  /** Each process by name; `pid` above is that of the API server. */
  readonly components: readonly RunningServer[];
}

type IsReady = (probe: AbortSignal) => Promise<boolean>;

/**
 * Starts a real control plane with simulated nodes: pods are scheduled and become ready but run no code. A restart on the same
 * state folder finds its objects, and keeps its ports if they are still free.
 */
export async function startKubernetes(start: KubernetesStart): Promise<KubernetesServer> {
  const { context = 'local', nodes = 3 } = start;
  const layout = await prepareLayout(start, context);
  const { authority, adminCertificate, adminKey } = layout.certificates.pem;
  const identity = { ca: authority, cert: adminCertificate, key: adminKey };
  const api = connectKubeApi({ url: apiUrl(layout), ...identity });
  const etcd = connectKubeApi({ url: etcdUrl(layout), ...identity });

  const components: RunningServer[] = [];
  const run = async (name: KubernetesTool, isReady: IsReady) => {
    components.unshift(await startComponent(name, layout, start, isReady));
  };
  const stop = async () => {
    // Clients stop before their servers: API server and etcd come last.
    const [stores, clients] = [components.slice(-2), components.slice(0, -2)];
    await Promise.all(clients.map((component) => component.stop()));
    for (const component of stores) await component.stop();
  };
  const kill = async () => {
    await Promise.all(components.map((component) => component.kill()));
  };

  try {
    await run('etcd', async (probe) => (await etcd.get('/health', probe)).status === 200);
    await run('kube-apiserver', async (probe) => (await api.get('/readyz', probe)).status === 200);
    const pid = components[0]?.pid ?? 0;
    for (const { path, object } of clusterObjects({ nodes, version: toolTable['kube-apiserver'].version })) {
      await api.apply(path, object, start.signal);
    }
    await allOrNone([
      run('kube-controller-manager', (probe) => acceptsPods(api, probe)),
      run('kube-scheduler', async () => true),
      run('kwok', (probe) => nodesAreReady(api, nodes, probe)),
    ]);
    const died = Promise.race(components.map((component) => component.died));
    const { kubeconfigFile } = layout;
    return { name: 'kubernetes', pid, died, stop, kill, url: apiUrl(layout), context, kubeconfigFile, components };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    api.close();
    etcd.close();
  }
}

async function prepareLayout({ stateFolder, durable }: KubernetesStart, context: string): Promise<ClusterLayout> {
  const folder = join(stateFolder, 'kubernetes');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const certificates = await ensureCertificates(join(folder, 'certificates'));
  const ports = await rememberedPorts(join(folder, 'ports.json'), ['etcd', 'etcdPeer', 'api']);
  const kubeconfigFile = join(folder, 'kubeconfig.yaml');
  const { authority, adminCertificate: certificate, adminKey: key } = certificates.pem;
  await writePrivately(kubeconfigFile, kubeconfig({ context, url: apiUrl({ ports }), authority, certificate, key }));
  return { folder, ports, certificates, kubeconfigFile, durable };
}

/**
 * For servers that live for seconds, as in tests: collecting garbage would take a fifth of their CPU time, so it begins only at the
 * limit of their memory.
 */
const collectLate = { GOGC: 'off', GOMEMLIMIT: '512MiB' };

const startComponent = (name: KubernetesTool, layout: ClusterLayout, start: KubernetesStart, isReady: IsReady) =>
  startServerProcess({
    name,
    command: [start.tools[name], ...componentArguments[name](layout)],
    logFile: join(layout.folder, `${name}.log`),
    env: layout.durable ? {} : collectLate,
    guard: start.guard,
    signal: start.signal,
    isReady,
    readyWithinMs: 60_000,
  });

/** Waits for all even if one fails, so that none is still starting when the others are stopped. */
async function allOrNone(starts: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(starts)).find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Pods are refused until their namespace has a service account. */
async function acceptsPods(api: KubeApi, probe: AbortSignal): Promise<boolean> {
  return (await api.get('/api/v1/namespaces/default/serviceaccounts/default', probe)).status === 200;
}

const NodeList = z.object({
  items: z.array(
    z.object({
      status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
    }),
  ),
});

async function nodesAreReady(api: KubeApi, nodes: number, probe: AbortSignal): Promise<boolean> {
  const { items } = NodeList.parse(JSON.parse((await api.get('/api/v1/nodes', probe)).body));
  const ready = items.filter(({ status }) =>
    status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
  );
  return ready.length >= nodes;
}
