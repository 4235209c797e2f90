import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import type { NodeToolName } from '../../tools/tool-table.ts';
import { NODE_ADDRESS } from '../kubernetes/addresses.ts';
import { connectKubeApi, type KubeApi } from '../kubernetes/kube-api.ts';
import type { KubernetesServer } from '../kubernetes/kubernetes.ts';
import { startNameServer } from '../name-server.ts';
import { writePrivately } from '../remembered.ts';
import { type RunningServer, type ServerStart, startServerProcess } from '../server-process.ts';
import { addressesOfService } from './addresses-of-service.ts';
import { forward, type Endpoint } from './forward.ts';
import {
  containerdConfiguration,
  kubeletConfiguration,
  type NodeFiles,
  PAUSE_IMAGE,
  POD_NETWORK,
  podNetwork,
} from './node-configuration.ts';
import { makeCgroup } from './node-cgroup.ts';
import { claimNode } from './node-claim.ts';
import { keepInside, makeInterface } from './node-network.ts';
import { writePauseImage } from './pause-image.ts';

const run = promisify(execFile);

// Needed by tests that run the images as pods, or cause a drain, an OOM kill or an upgrade under load; kwok only simulates pods.
export interface RealNodeStart extends ServerStart {
  readonly tools: Readonly<Record<NodeToolName, string>>;
  /** The control plane that the node joins. */
  readonly kubernetes: KubernetesServer;
}

export interface RealNode extends AsyncDisposable {
  readonly name: string;
  /** The address at which pods reach servers on this machine. */
  readonly address: string;
  /** An image that is always on the node; its only program is busybox. */
  readonly pauseImage: string;
  /** Loads the images of an archive onto the node. */
  loadImages(archive: string): Promise<void>;
  /** Gives a loaded image a second name. */
  nameImage(image: string, name: string): Promise<void>;
  /** Simulates an OOM kill of a container; `id` is the one in its status. */
  killContainer(id: string): Promise<void>;
  /** Makes a server on loopback reachable for pods, at `address` with the same port. */
  expose(port: number): Promise<void>;
  /** A port of `address` that forwards to a service of the cluster, which may not exist yet. */
  publish(service: () => Endpoint): Promise<number>;
  readonly api: KubeApi;
}

const NAME = 'real-1';

/**
 * A node that runs pods: kubelet, kube-proxy and containerd on this machine, as root, beside the simulated nodes. Its processes,
 * mounts, control groups, network interface and iptables rules end with it; those of a node whose run was killed, with the start of
 * the next one. Only one node can run at a time.
 */
export async function startRealNode(start: RealNodeStart): Promise<RealNode> {
  const { stateFolder, kubernetes, signal } = start;
  const folder = join(stateFolder, 'node');
  const stack = new AsyncDisposableStack();
  stack.use(await claimNode(stateFolder));
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(join(folder, 'cni'), { recursive: true, mode: 0o700 });
    await makeCgroup();
    const api = stack.use(closing(await apiOf(kubernetes)));
    await makeInterface();
    await keepInside();
    const files = await writeFiles(folder, kubernetes);
    const ctr = (...args: string[]) =>
      run('ctr', ['--address', files.socket, '--namespace', 'k8s.io', ...args], { timeout: 300_000 });

    await startContainerd(start, files, stack, ctr);
    const loadImages = async (archive: string) => void (await ctr('images', 'import', archive));
    await loadImages(await writePauseImage(folder, PAUSE_IMAGE, signal));

    const apiPort = Number(new URL(kubernetes.url).port);
    const expose = async (port: number) => {
      const open = await forward({ host: NODE_ADDRESS, port }, () => ({ host: '127.0.0.1', port }));
      stack.defer(() => open.close());
    };
    await expose(apiPort);
    await nameApiServer(api, apiPort, signal);
    stack.use(await startNameServer({ host: NODE_ADDRESS, port: 53 }, addressesOfService(api)));
    await startKubelet(start, files, api, stack);
    // The kubelet requires the address of its node.
    await startKubeProxy(start, folder, stack);

    return {
      name: NAME,
      address: NODE_ADDRESS,
      pauseImage: PAUSE_IMAGE,
      api,
      loadImages,
      nameImage: async (image, name) => void (await ctr('images', 'tag', '--force', whole(image), whole(name))),
      killContainer: async (id) =>
        void (await ctr('tasks', 'kill', '--signal', 'SIGKILL', id.replace('containerd://', ''))),
      expose,
      async publish(service) {
        const open = await forward({ host: NODE_ADDRESS, port: 0 }, service);
        stack.defer(() => open.close());
        return open.port;
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The full name of an image; as in Kubernetes, the default registry is added if there is none. */
const whole = (image: string) => (image.includes('/') ? image : `docker.io/library/${image}`);

type Ctr = (...args: string[]) => Promise<{ stdout: string }>;

const closing = (api: KubeApi) => Object.assign(api, { [Symbol.dispose]: () => api.close() });

async function writeFiles(folder: string, kubernetes: KubernetesServer): Promise<NodeFiles> {
  const { authority } = await identityOf(kubernetes);
  const clientAuthority = join(folder, 'authority.crt');
  const files = { folder, socket: join(folder, 'containerd.sock'), clientAuthority };
  await writeFile(clientAuthority, authority);
  await writePrivately(join(folder, 'containerd.toml'), containerdConfiguration(files));
  await writePrivately(join(folder, 'cni', '10-pods.conflist'), podNetwork(folder));
  await writePrivately(join(folder, 'kubelet.yaml'), kubeletConfiguration(files));
  return files;
}

async function startContainerd(
  { guard, signal }: ServerStart,
  { folder }: NodeFiles,
  stack: AsyncDisposableStack,
  ctr: Ctr,
): Promise<void> {
  const server = await startServerProcess({
    name: 'containerd',
    command: ['containerd', '--config', join(folder, 'containerd.toml')],
    logFile: join(folder, 'containerd.log'),
    guard,
    signal,
    isReady: async () => (await ctr('version')).stdout !== '',
  });
  stack.defer(() => server.stop());
  stack.defer(() => removeContainers(ctr));
}

/** Containers survive containerd, so they are removed first. */
async function removeContainers(ctr: Ctr): Promise<void> {
  const names = async (...args: string[]) => (await ctr(...args)).stdout.split('\n').filter((name) => name !== '');
  for (const task of await names('tasks', 'list', '--quiet')) {
    await ctr('tasks', 'delete', '--force', task).catch(() => undefined);
  }
  for (const container of await names('containers', 'list', '--quiet')) {
    await ctr('containers', 'delete', container).catch(() => undefined);
  }
}

/** Pods find the API server by the service `kubernetes`; the control plane leaves its endpoint to us. */
async function nameApiServer(api: KubeApi, port: number, signal: AbortSignal): Promise<void> {
  await api.apply(
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { 'kubernetes.io/service-name': 'kubernetes' },
      },
      addressType: 'IPv4',
      ports: [{ name: 'https', port, protocol: 'TCP' }],
      endpoints: [{ addresses: [NODE_ADDRESS], conditions: { ready: true } }],
    },
    signal,
  );
}

async function startKubeProxy(start: RealNodeStart, folder: string, stack: AsyncDisposableStack): Promise<void> {
  const { tools, kubernetes, guard, signal } = start;
  const program = tools['kube-proxy'];
  const health = `${NODE_ADDRESS}:10256`;
  stack.defer(async () => void (await run(program, ['--cleanup'], { timeout: 60_000 }).catch(() => undefined)));
  const server = await startServerProcess({
    name: 'kube-proxy',
    command: [
      program,
      `--kubeconfig=${kubernetes.kubeconfigFile}`,
      '--proxy-mode=iptables',
      `--hostname-override=${NAME}`,
      `--cluster-cidr=${POD_NETWORK}`,
      '--bind-address=127.0.0.1',
      // Does not change settings of the kernel.
      '--conntrack-max-per-core=0',
      '--conntrack-tcp-timeout-established=0s',
      '--conntrack-tcp-timeout-close-wait=0s',
      `--healthz-bind-address=${health}`,
      `--metrics-bind-address=${NODE_ADDRESS}:10249`,
    ],
    logFile: join(folder, 'kube-proxy.log'),
    guard,
    signal,
    isReady: async (probe) => (await fetch(`http://${health}/livez`, { signal: probe })).ok,
  });
  stack.defer(() => server.stop());
}

async function startKubelet(
  { tools, kubernetes, guard, signal }: RealNodeStart,
  { folder }: NodeFiles,
  api: KubeApi,
  stack: AsyncDisposableStack,
): Promise<RunningServer> {
  const server = await startServerProcess({
    name: 'kubelet',
    command: [
      tools.kubelet,
      `--config=${join(folder, 'kubelet.yaml')}`,
      `--kubeconfig=${kubernetes.kubeconfigFile}`,
      `--root-dir=${join(folder, 'kubelet')}`,
      `--node-ip=${NODE_ADDRESS}`,
      `--hostname-override=${NAME}`,
    ],
    logFile: join(folder, 'kubelet.log'),
    guard,
    signal,
    isReady: (probe) => nodeIsReady(api, probe),
    readyWithinMs: 120_000,
  });
  stack.defer(() => server.stop());
  stack.defer(() => api.remove(`/api/v1/nodes/${NAME}`, AbortSignal.timeout(10_000)).catch(() => undefined));
  return server;
}

const Node = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
});

async function nodeIsReady(api: KubeApi, probe: AbortSignal): Promise<boolean> {
  const { status, body } = await api.get(`/api/v1/nodes/${NAME}`, probe);
  if (status !== 200) return false;
  return Node.parse(JSON.parse(body)).status.conditions.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}

const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.object({ 'certificate-authority-data': z.base64() }) })]),
  users: z.tuple([
    z.object({ user: z.object({ 'client-certificate-data': z.base64(), 'client-key-data': z.base64() }) }),
  ]),
});

async function identityOf({ kubeconfigFile }: KubernetesServer) {
  const { clusters, users } = Kubeconfig.parse(parse(await readFile(kubeconfigFile, 'utf8')));
  const text = (base64: string) => Buffer.from(base64, 'base64').toString();
  return {
    authority: text(clusters[0].cluster['certificate-authority-data']),
    certificate: text(users[0].user['client-certificate-data']),
    key: text(users[0].user['client-key-data']),
  };
}

async function apiOf(kubernetes: KubernetesServer): Promise<KubeApi> {
  const { authority, certificate, key } = await identityOf(kubernetes);
  return connectKubeApi({ url: kubernetes.url, ca: authority, cert: certificate, key });
}
