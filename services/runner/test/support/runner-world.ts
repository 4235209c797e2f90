import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { kubernetesTools, startKubernetes } from '@berth/devstack';
import { serverStart, toolsForTest } from '@berth/devstack/testing/with-servers';
import { implement } from '@berth/bus/rpc/implement';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import { deploymentCredentials } from '@berth/contracts/resources/clusters/deployment-credentials';
import { kubeAccessOf } from '@berth/kube/kube-access';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { parseKubeconfig, UnusableKubeconfig } from '@berth/kube/kubeconfig';
import { compileCache } from '@berth/testing/compile-cache';
import { programFile } from '@berth/testing/program-file';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { type PodSecurityLevel, serveNamespaces } from './fake-cluster-sync.ts';
import { createFakeTasks, type FakeTasks } from './fake-tasks.ts';
import { testChartFiles } from './probe-chart.ts';

const entry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const run = promisify(execFile);

export interface RunnerProcess extends AsyncDisposable {
  readonly pid: number;
  readonly folder: string;
  /** Its log so far. */
  log(): string;
  signal(signal: NodeJS.Signals): void;
  /** Its exit code. */
  ended: Promise<number | null>;
}

/** The answer of cluster-sync to a request to write `service-creds`; does nothing by default. */
interface FakeCredentials {
  written: { task_id: string; fence: number }[];
  write(claim: { task_id: string; fence: number }): Promise<{ expires_at: string | null; reason: string | null }>;
  /** The tasks for which they were written under the upstream name. */
  upstream: string[];
  writeUpstream(claim: { task_id: string; fence: number }): Promise<{ reason: string | null }>;
  removeUpstream(claim: { task_id: string; fence: number }): Promise<null>;
}

export interface RunnerWorld extends AsyncDisposable {
  readonly credentials: FakeCredentials;
  readonly helm: string;
  readonly nats: TestNats;
  readonly api: KubeApi;
  readonly kubeconfigFile: string;
  readonly chart: { helm_chart_id: string; digest: string; version: string };
  readonly tasks: FakeTasks;
  /** A chart that is not cached; the runner receives it when `work` is done. */
  lateChart(work: () => Promise<void>, files?: Record<string, string | Buffer>): Promise<RunnerWorld['chart']>;
  /** Sets the kubeconfigs to issue, in this order, the last one repeatedly; without arguments, those of the deployments' accounts. */
  issueInOrder(kubeconfigs: string[]): void;
  /** Sets the kubeconfig to issue for one namespace. */
  issueFor(namespace: string, kubeconfig: string): void;
  /** Namespaces in clusters that their deployments leave for another env. */
  readonly leaving: Set<string>;
  readonly adminKubeconfig: string;
  /** How often a namespace was entered. */
  issued(): number;
  start(env?: Record<string, string>): Promise<RunnerProcess>;
}

/** A real cluster, NATS, Helm and runner; the other services are fakes. */
export async function startRunnerWorld({
  chartFiles = testChartFiles,
  podSecurity = 'baseline',
}: {
  chartFiles?: Record<string, string>;
  podSecurity?: PodSecurityLevel;
} = {}): Promise<RunnerWorld> {
  const stack = new AsyncDisposableStack();
  const { helm, ...tools } = await toolsForTest(...kubernetesTools, 'helm');
  const start = stack.use(await serverStart());
  const cluster = await startKubernetes({ ...start, tools, durable: false, signal: AbortSignal.timeout(180_000) });
  stack.defer(() => cluster.stop());
  const nats = stack.use(await startTestNats());
  const bus = stack.use(await connectTestBus(nats, 'tasks'));
  const neighbours = stack.use(await connectTestBus(nats, 'cluster-sync'));
  const registry = stack.use(await connectTestBus(nats, 'registry-scan'));

  const adminKubeconfig = await readFile(cluster.kubeconfigFile, 'utf8');
  const access = kubeAccessOf(parseKubeconfig(adminKubeconfig), cluster.context);
  if ('refused' in access) throw new UnusableKubeconfig(access.refused);
  const api = stack.use(openKubeApi(access.access));

  let kubeconfigs: string[] = [];
  let issued = 0;
  const issuedFor = new Map<string, string>();
  const leaving = new Set<string>();
  const credentials: FakeCredentials = {
    written: [],
    write: async () => ({ expires_at: null, reason: null }),
    upstream: [],
    writeUpstream: async () => ({ reason: null }),
    removeUpstream: async () => null,
  };
  neighbours.serve(
    implement(deploymentCredentials, {
      write: async ({ body }) => {
        credentials.written.push(body);
        return credentials.write(body);
      },
      write_upstream: async ({ body }) => {
        credentials.upstream.push(body.task_id);
        return credentials.writeUpstream(body);
      },
      remove_upstream: ({ body }) => credentials.removeUpstream(body),
    }),
  );
  const packed = await packChart(helm, '1.0.0', chartFiles);
  const { chart } = packed;
  const packages = new Map([[chart.digest, packed.bytes]]);
  const late = new Map<string, () => Promise<string>>();
  registry.serve(
    implement(chartArchives, {
      ensure: async () => ({ digest: chart.digest }),
      read: async ({ body }) => {
        const chartId = tasks.chartOf(body.task_id)?.helm_chart_id ?? '';
        const digest = (await late.get(chartId)?.()) ?? chart.digest;
        return { digest, parts: 1, data: packages.get(digest)?.toString('base64') ?? '' };
      },
    }),
  );
  const tasks = createFakeTasks(bus);
  serveNamespaces(neighbours, {
    api,
    access: access.access,
    tasks,
    podSecurity,
    leaving,
    kubeconfig: (namespace) => {
      issued += 1;
      const ofNamespace = issuedFor.get(namespace);
      if (ofNamespace !== undefined) return ofNamespace;
      return (kubeconfigs.length > 1 ? kubeconfigs.shift() : kubeconfigs[0]) ?? null;
    },
  });
  await Promise.all([bus.listening(), neighbours.listening(), registry.listening()]);

  return {
    helm,
    nats,
    api,
    kubeconfigFile: cluster.kubeconfigFile,
    chart,
    tasks,
    credentials,
    lateChart: async (work, files = chartFiles) => {
      const { chart: next, bytes } = await packChart(helm, `1.0.${late.size + 1}`, files);
      late.set(next.helm_chart_id, async () => {
        await work();
        packages.set(next.digest, bytes);
        return next.digest;
      });
      return next;
    },
    adminKubeconfig,
    issueInOrder: (next) => {
      kubeconfigs = next;
    },
    issueFor: (namespace, kubeconfig) => void issuedFor.set(namespace, kubeconfig),
    leaving,
    issued: () => issued,
    start: (env = {}) => startRunner({ NATS_URL: nats.url, NATS_PASSWORD: nats.password, HELM_BINARY: helm, ...env }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function startRunner(env: Record<string, string>): Promise<RunnerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-runner-'));
  const child: ChildProcess = spawn(process.execPath, [programFile(entry)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...compileCache(), RUNNER_FOLDER: folder, LOG_LEVEL: 'debug', NODE_ENV: 'production', ...env },
  });
  let log = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const ended = once(child, 'exit').then(() => child.exitCode);
  return {
    pid: child.pid ?? 0,
    folder,
    log: () => log,
    signal: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function packChart(
  helm: string,
  version: string,
  files: Record<string, string | Buffer>,
): Promise<{ chart: RunnerWorld['chart']; bytes: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-chart-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = join(folder, 'probe', name);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, content);
    }
    await run(helm, ['package', join(folder, 'probe'), '--version', version, '--destination', folder], {
      env: { HOME: folder },
    });
    const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
    const bytes = await readFile(join(folder, archive));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    return { chart: { helm_chart_id: randomUUID(), digest, version }, bytes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
