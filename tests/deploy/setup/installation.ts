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
  type RealNode,
  type RegistryServer,
  type Stack,
  startKubernetes,
  startNats,
  startOidc,
  startPostgres,
  startRealNode,
  startRegistry,
  toolNames,
} from '@berth/devstack';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { natsAccounts } from '@berth/shared/bus/accounts/nats-accounts';
import { callerNames } from '@berth/shared/contracts/contract';
import { loginCallbackPath } from '@berth/shared/contracts/resources/logins';
import { z } from 'zod';
import { imageArchive } from './image-archive.ts';

const run = promisify(execFile);
const chart = fileURLToPath(new URL('../../../deploy/berth/', import.meta.url));

export const namespace = 'berth';
export const release = 'berth';

export interface Installation extends AsyncDisposable {
  readonly node: RealNode;
  readonly registry: RegistryServer;
  readonly tools: Stack['tools'];
  /** As people and pods reach the API. */
  readonly url: string;
  readonly stateFolder: string;
  readonly people: typeof people;
  helm(...args: string[]): Promise<{ stdout: string; stderr: string }>;
  /** What the API server answers; throws where it refuses. */
  read(path: string): Promise<unknown>;
}

/** A cluster with a real node, and Berth installed on it by its chart, with PostgreSQL, NATS, a registry and an identity provider beside it. */
export async function installBerth(signal: AbortSignal): Promise<Installation> {
  const stack = new AsyncDisposableStack();
  try {
    return await install(stack, signal);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function install(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Installation> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-installed-'));
  stack.defer(() => rm(stateFolder, { recursive: true, force: true }));
  const guard = startProcessGuard();
  stack.defer(() => guard.close());
  const given = { stateFolder, guard, signal };
  const started = <S extends { stop(): Promise<void> }>(server: S): S => {
    stack.defer(() => server.stop());
    return server;
  };
  const names = [...toolNames, ...nodeToolNames];
  const tools = await ensureTools({ names, env: process.env, log: console.log, signal });

  const kubernetes = started(await startKubernetes({ ...given, tools, durable: false, nodes: 0 }));
  const node = stack.use(await startRealNode({ ...given, tools, kubernetes }));
  for (const name of callerNames) await node.loadImages(imageArchive(name));

  // Found when it is installed; what the API calls itself must be known before.
  let gateway = { host: '127.0.0.1', port: 9 };
  const url = `http://${node.address}:${await node.publish(() => gateway)}`;

  const passwords = Object.fromEntries(callerNames.map((name) => [name, `of-${name}`]));
  const [postgres, nats, registry, oidc] = await Promise.all([
    startPostgres({ ...given, durable: false }).then(started),
    startNats({
      ...given,
      program: tools['nats-server'],
      accounts: natsAccounts({ passwords: Passwords.parse(passwords) }),
    }).then(started),
    startRegistry({ ...given, program: tools.registry }).then(started),
    startOidc({ ...given, clientId: 'berth', redirectUris: [`${url}${loginCallbackPath}`], host: node.address }).then(
      started,
    ),
  ]);
  for (const { port } of [postgres, nats, registry, oidc]) await node.expose(port);

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
    nats: passwords,
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

  const helm = (...args: string[]) =>
    run(tools.helm, ['--kubeconfig', kubernetes.kubeconfigFile, '--namespace', namespace, ...args], {
      env: { HOME: stateFolder, PATH: '' },
      timeout: 900_000,
      maxBuffer: 16 * 1024 ** 2,
      signal,
    });
  const values = join(stateFolder, 'values.yaml');
  await writeFile(
    values,
    // JSON is YAML.
    JSON.stringify({
      global: {
        ownUrl: url,
        image: { tag: '0.1.0' },
        postgresql: {
          host: node.address,
          port: postgres.port,
          sslMode: 'disable',
          admin: { existingSecret: 'given-admin-database' },
        },
        nats: { url: `nats://${node.address}:${nats.port}`, existingSecret: 'given-nats' },
      },
      'api-gateway': { replicas: 1 },
      auth: {
        replicas: 1,
        oidc: { issuer: oidc.issuer, existingSecret: 'given-oidc', allowHttp: true, port: oidc.port },
        adminEmails: [people[0]?.email],
      },
      tasks: { replicas: 1 },
      'cluster-sync': { replicas: 1, ownCluster: { name: 'own' }, ignoreNew: false },
      'registry-scan': {
        replicas: 1,
        registries: [{ url: `http://${node.address}:${registry.port}`, allow_http: true, poll_interval_seconds: 5 }],
        registryPorts: [registry.port],
      },
      runner: { replicas: 1 },
    }),
  );
  await helm('install', release, chart, '--values', values, '--wait', '--timeout', '12m').catch(
    async (error: unknown) => {
      throw new Error(`the chart could not be installed\n${await whatHappened(node)}`, { cause: error });
    },
  );
  gateway = await addressOf(node);

  return {
    node,
    registry,
    tools,
    url,
    stateFolder,
    people,
    helm,
    read: (path) => readFrom(node, path),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const Passwords = z.record(z.enum(callerNames), z.string());

async function readFrom({ api }: RealNode, path: string): Promise<unknown> {
  const { status, body } = await api.get(path, AbortSignal.timeout(20_000));
  if (status !== 200) throw new Error(`${path}: ${status} ${body.slice(0, 500)}`);
  return JSON.parse(body);
}

const Service = z.object({ spec: z.object({ clusterIP: z.string(), ports: z.array(z.object({ port: z.number() })) }) });

async function addressOf(node: RealNode): Promise<{ host: string; port: number }> {
  const path = `/api/v1/namespaces/${namespace}/services/${release}-api-gateway`;
  const { clusterIP, ports } = Service.parse(await readFrom(node, path)).spec;
  return { host: clusterIP, port: ports[0]?.port ?? 80 };
}

const Events = z.object({
  items: z.array(
    z.object({
      reason: z.string().nullish(),
      message: z.string().nullish(),
      involvedObject: z.object({ name: z.string().nullish() }),
    }),
  ),
});
const Pods = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }), status: z.looseObject({ phase: z.string() }) })),
});

/** Events and the ends of logs: what one would look at. */
async function whatHappened(node: RealNode): Promise<string> {
  const events = Events.parse(await readFrom(node, `/api/v1/namespaces/${namespace}/events`)).items;
  const pods = Pods.parse(await readFrom(node, `/api/v1/namespaces/${namespace}/pods`)).items;
  const logs = await Promise.all(
    pods.map(async ({ metadata: { name }, status: { phase } }) => {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?tailLines=5`;
      const { body } = await node.api.get(path, AbortSignal.timeout(20_000));
      return `${name} ${phase}\n${body.slice(0, 1_500)}`;
    }),
  );
  const lines = events
    .slice(-30)
    .map(({ reason, message, involvedObject }) => `${involvedObject.name}: ${reason} ${message}`);
  return [...lines, ...logs].join('\n');
}
