import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  ensureTools,
  nodeToolNames,
  people,
  type PostgresBinaries,
  type RealNode,
  type RegistryServer,
  type Stack,
  startKubernetes,
  startRealNode,
  toolNames,
} from '@berth/devstack';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { callerNames } from '@berth/contracts/definition/contract';
import { z } from 'zod';
import { imageArchive } from './images/image-archive.ts';
import { readFrom } from './read-from.ts';
import { type Servers, startServers } from './servers.ts';
import { whatHappened } from './what-happened.ts';

const run = promisify(execFile);
const chart = fileURLToPath(new URL('../../../deploy/berth/', import.meta.url));

export const namespace = 'berth';
export const release = 'berth';

export interface SurroundingsStart {
  readonly signal: AbortSignal;
  /** By default the programs of the npm packages. */
  readonly postgres?: PostgresBinaries;
}

export interface Surroundings extends AsyncDisposable {
  readonly node: RealNode;
  readonly registry: RegistryServer;
  readonly servers: Servers;
  readonly tools: Stack['tools'];
  readonly kubeconfigFile: string;
  /** The address at which people and pods reach the API. */
  readonly url: string;
  readonly stateFolder: string;
  readonly people: typeof people;
  helm(...args: string[]): Promise<{ stdout: string; stderr: string }>;
  /** The answer of the API server; throws if it refuses. */
  read(path: string): Promise<unknown>;
  /** Routes `url` to the gateway of the current release, if any. */
  routeToGateway(): Promise<void>;
  routeToNobody(): void;
}

/** A port on which nothing listens. */
const nobody = { host: '127.0.0.1', port: 9 };

/** A cluster whose real node has the images, beside PostgreSQL, NATS, a registry and an identity provider. */
export async function startSurroundings(start: SurroundingsStart): Promise<Surroundings> {
  const stack = new AsyncDisposableStack();
  const began = performance.now();
  try {
    const surroundings = await surround(stack, start);
    console.log(`a node with images, and servers: ${seconds(began)}`);
    return surroundings;
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function surround(stack: AsyncDisposableStack, { signal, postgres }: SurroundingsStart): Promise<Surroundings> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-installed-'));
  stack.defer(() => rm(stateFolder, { recursive: true, force: true }));
  const guard = startProcessGuard();
  stack.defer(() => guard.close());
  const given = { stateFolder, guard, signal };
  const names = [...toolNames, ...nodeToolNames];
  const tools = await ensureTools({ names, env: process.env, log: console.log, signal });

  const kubernetes = await startKubernetes({ ...given, tools, durable: false, nodes: 0 });
  stack.defer(() => kubernetes.stop());
  const node = stack.use(await startRealNode({ ...given, tools, kubernetes }));
  for (const name of callerNames) await node.loadImages(imageArchive(name));

  // The release is known only after its installation, but its URL must be known before.
  let gateway = nobody;
  const url = `http://${node.address}:${await node.publish(() => gateway)}`;
  const servers = stack.use(await startServers({ ...given, tools, url, address: node.address, postgres }));
  for (const { port } of [servers.postgres, servers.nats, servers.registry, servers.oidc]) await node.expose(port);

  const { kubeconfigFile } = kubernetes;
  const helm = (...args: string[]) =>
    run(tools.helm, ['--kubeconfig', kubeconfigFile, '--namespace', namespace, ...args], {
      env: { HOME: stateFolder, PATH: '' },
      timeout: 900_000,
      maxBuffer: 16 * 1024 ** 2,
      signal,
    });

  return {
    node,
    registry: servers.registry,
    servers,
    tools,
    kubeconfigFile,
    url,
    stateFolder,
    people,
    helm,
    read: (path) => readFrom(node, path),
    async routeToGateway() {
      gateway = await addressOf(node);
    },
    routeToNobody: () => {
      gateway = nobody;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export interface InstalledVersion {
  readonly chart: string;
  /** The tag of its images, whose archives are loaded onto the node. */
  readonly tag: string;
  readonly archives: readonly string[];
}

export interface InstallationStart extends SurroundingsStart {
  /** Replicas of each part; one by default. */
  readonly replicas?: number;
  /** The chart; by default that of this checkout. */
  readonly version?: InstalledVersion | undefined;
}

const thisVersion: InstalledVersion = { chart, tag: '0.1.0', archives: [] };

export interface Installation extends Surroundings {
  /** The namespace with its Pod Security Standard and the Secrets that the chart expects. */
  prepareNamespace(): Promise<void>;
}

/** Berth, installed by its chart with the PostgreSQL and NATS beside the cluster. */
export async function installBerth(start: InstallationStart): Promise<Installation> {
  const surroundings = await startSurroundings(start);
  try {
    const { node, stateFolder } = surroundings;
    const prepareNamespace = () => prepare(surroundings, start.signal);
    await prepareNamespace();
    const values = join(stateFolder, 'values.yaml');
    const version = start.version ?? thisVersion;
    for (const archive of version.archives) await node.loadImages(archive);
    // JSON is YAML.
    await writeFile(values, JSON.stringify(valuesFor(surroundings, start.replicas ?? 1, version.tag)));
    const began = performance.now();
    const install = surroundings.helm(
      'install',
      release,
      version.chart,
      '--values',
      values,
      '--wait',
      '--timeout',
      '12m',
    );
    await install.catch(async (error: unknown) => {
      throw new Error(`the chart could not be installed\n${await whatHappened(node, namespace)}`, { cause: error });
    });
    console.log(`Berth on it: ${seconds(began)}`);
    await surroundings.routeToGateway();
    return { ...surroundings, prepareNamespace };
  } catch (error) {
    await surroundings[Symbol.asyncDispose]();
    throw error;
  }
}

async function prepare({ node, servers }: Surroundings, signal: AbortSignal): Promise<void> {
  const { postgres, nats, oidc } = servers;
  const apply = (path: string, object: object) => node.api.apply(path, object, signal);
  await apply(`/api/v1/namespaces/${namespace}`, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  const admin = new URL(postgres.adminUrl);
  admin.hostname = node.address;
  const secrets = {
    'admin-database': { url: admin.href },
    nats: nats.passwords,
    oidc: { 'client-id': 'berth', 'client-secret': oidc.clientSecret },
  };
  for (const [name, stringData] of Object.entries(secrets)) {
    await apply(`/api/v1/namespaces/${namespace}/secrets/given-${name}`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `given-${name}`, namespace },
      stringData,
    });
  }
}

/**
 * The chart's memory requests, and CPU requests small enough for two pods of each part and their successors on a small machine.
 */
const resources = { requests: { cpu: '20m' } };

const valuesFor = ({ node, servers, url }: Surroundings, replicas: number, tag: string) => ({
  global: {
    ownUrl: url,
    image: { registry: 'docker.io/library', tag },
    postgresql: {
      host: node.address,
      port: servers.postgres.port,
      sslMode: 'disable',
      admin: { existingSecret: 'given-admin-database' },
    },
    nats: { url: `nats://${node.address}:${servers.nats.port}`, existingSecret: 'given-nats' },
  },
  'api-gateway': { replicas, resources },
  auth: {
    replicas,
    resources,
    oidc: { issuer: servers.oidc.issuer, existingSecret: 'given-oidc', allowHttp: true },
    adminEmails: [people[0]?.email],
  },
  tasks: { replicas, resources },
  'cluster-sync': { replicas, resources, ownCluster: { name: 'own' }, ignoreNew: false },
  'registry-scan': {
    replicas,
    resources,
    registries: [
      { url: `http://${node.address}:${servers.registry.port}`, allow_http: true, poll_interval_seconds: 5 },
    ],
  },
  runner: { replicas, resources },
});

const Service = z.object({ spec: z.object({ clusterIP: z.string(), ports: z.array(z.object({ port: z.number() })) }) });

async function addressOf(node: RealNode): Promise<{ host: string; port: number }> {
  const path = `/api/v1/namespaces/${namespace}/services/${release}-api-gateway`;
  const { clusterIP, ports } = Service.parse(await readFrom(node, path)).spec;
  return { host: clusterIP, port: ports[0]?.port ?? 80 };
}
