import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureTools, nodeToolNames, startKubernetes, startRealNode, toolNames } from '@berth/devstack';
import { type ProcessGuard, startProcessGuard } from '@berth/process-guard/process-guard';
import { waitUntil } from '@berth/client';
import { z } from 'zod';
import { makeBaseImage } from '../../../scripts/images/base-image.ts';
import { startDockerEngine } from './docker-engine.ts';
import { readFrom } from './read-from.ts';

const run = promisify(execFile);

interface Trial {
  readonly stateFolder: string;
  readonly guard: ProcessGuard;
  readonly signal: AbortSignal;
}

const GiB = 1024 ** 3;
const least = { cores: 2, memory: 5 * GiB, disk: 15 * GiB };

/**
 * Tries the first steps of the tests of images and real pods, because root in a container often lacks rights that it seems to
 * have. Returns a line for each step that this machine refuses.
 */
const trials: Record<string, { readonly way: string; readonly attempt: (trial: Trial) => Promise<void> }> = {
  'enough of a machine': {
    way: `it takes ${least.cores} cores, ${least.memory / GiB} GiB of memory and ${least.disk / GiB} GiB of disk`,
    attempt: hasRoom,
  },
  'a base image from packages of Debian': {
    way: 'mmdebstrap needs a mirror of Debian and buildah a file system that it may mount',
    attempt: buildsImages,
  },
  'a container of a Docker Engine': { way: 'a container that runs this needs --privileged', attempt: runsContainer },
  'a pod of a kubelet, reached through a service': {
    way: 'a container that runs this needs --privileged and control groups that it may write',
    attempt: runsPod,
  },
};

export async function refusedByMachine(signal: AbortSignal): Promise<string[]> {
  const refused: string[] = [];
  for (const [what, { way, attempt }] of Object.entries(trials)) {
    const stateFolder = await mkdtemp(join(tmpdir(), 'berth-trial-'));
    const guard = startProcessGuard();
    try {
      await attempt({ stateFolder, guard, signal });
    } catch (error) {
      refused.push(`${what} is not possible here (${way}): ${oneLine(error)}`);
    } finally {
      await guard.close();
      await rm(stateFolder, { recursive: true, force: true }).catch(() => undefined);
    }
    // The other steps take longer and would not change the answer.
    if (refused.length > 0) break;
  }
  return refused;
}

const oneLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).trim().replace(/\s+/g, ' ').slice(0, 500);

async function hasRoom({ stateFolder }: Trial): Promise<void> {
  const { bavail, bsize } = await statfs(stateFolder);
  const disk = bavail * bsize;
  // Without the page cache, so more may be available.
  const { stdout } = await run('/bin/sh', ['-c', "sed -n 's/^MemAvailable: *\\([0-9]*\\) kB$/\\1/p' /proc/meminfo"]);
  const memory = Number(stdout) * 1024 || freemem();
  const inGiB = (bytes: number) => `${(bytes / GiB).toFixed(1)} GiB`;
  const cores = availableParallelism();
  if (cores < least.cores) throw new Error(`${cores} core is available`);
  if (memory < least.memory) throw new Error(`${inGiB(memory)} of memory are available`);
  if (disk < least.disk) throw new Error(`${inGiB(disk)} of disk are free at ${stateFolder}`);
}

async function buildsImages({ stateFolder, signal }: Trial): Promise<void> {
  const node = { program: process.execPath, version: process.versions.node };
  const folder = join(stateFolder, 'base');
  const { folder: root } = await makeBaseImage({ folder, node, epoch: 0, path: process.env['PATH'], signal });
  const dockerfile = join(stateFolder, 'Dockerfile');
  await writeFile(dockerfile, 'FROM scratch\nCOPY . /\n');
  const storage = [
    '--root',
    join(stateFolder, 'graph'),
    '--runroot',
    join(stateFolder, 'run'),
    '--storage-driver',
    'vfs',
  ];
  const bud = ['bud', '--isolation', 'chroot', '--quiet', '--file', dockerfile, '--tag', 'localhost/trial', root];
  await run('buildah', [...storage, ...bud], { timeout: 120_000, signal });
}

async function runsContainer({ stateFolder, guard, signal }: Trial): Promise<void> {
  const engine = await startDockerEngine({ stateFolder, guard, signal });
  try {
    const root = join(stateFolder, 'root');
    await mkdir(root);
    await run('cp', ['/bin/busybox', root]);
    const archive = join(stateFolder, 'root.tar');
    await run('tar', ['--create', '--file', archive, '--directory', root, '.']);
    const docker = (...args: string[]) => run('docker', ['--host', engine.host, ...args], { timeout: 60_000, signal });
    await docker('import', archive, 'berth-trial');
    const rights = ['--network', 'host', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
    await docker('run', '--rm', ...rights, '--user', '65532', '--tmpfs', '/tmp', 'berth-trial', '/busybox', 'true');
  } finally {
    await engine.stop();
  }
}

const Service = z.object({ spec: z.object({ clusterIP: z.string() }) });
const Pod = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
});

async function runsPod({ stateFolder, guard, signal }: Trial): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const given = { stateFolder, guard, signal };
  const names = [...toolNames, ...nodeToolNames];
  const tools = await ensureTools({ names, env: process.env, log: () => undefined, signal });
  const kubernetes = await startKubernetes({ ...given, tools, durable: false, nodes: 0 });
  stack.defer(() => kubernetes.stop());
  const node = stack.use(await startRealNode({ ...given, tools, kubernetes }));

  const server = createServer((_, response) => response.end('reached')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const reachable = await node.publish(() => ({ host: '127.0.0.1', port }));

  const labels = { app: 'trial' };
  const namespaced = '/api/v1/namespaces/default';
  const metadata = { name: 'trial', namespace: 'default', labels };
  // The pod reaches this machine, and this machine reaches the pod.
  const command = `/busybox wget -q -O /tmp/answer http://${node.address}:${reachable}/ && exec /busybox httpd -f -p 8080 -h /tmp`;
  await node.api.apply(
    `${namespaced}/pods/trial`,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: {
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65_532,
          fsGroup: 65_532,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'trial',
            image: node.pauseImage,
            command: ['/busybox', 'sh', '-c', command],
            readinessProbe: { httpGet: { path: '/answer', port: 8080 }, periodSeconds: 1 },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            resources: { limits: { memory: '64Mi' } },
            volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
          },
        ],
        volumes: [{ name: 'tmp', emptyDir: {} }],
      },
    },
    signal,
  );
  await node.api.apply(
    `${namespaced}/services/trial`,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
    },
    signal,
  );

  const isReady = async () =>
    Pod.parse(await readFrom(node, `${namespaced}/pods/trial`)).status.conditions.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    );
  await waitUntil(isReady, { what: 'the pod to be ready', withinMs: 90_000, signal });
  const { clusterIP } = Service.parse(await readFrom(node, `${namespaced}/services/trial`)).spec;
  const answers = () =>
    fetch(`http://${clusterIP}/answer`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntil(answers, { what: 'the service to lead to the pod', withinMs: 30_000, signal });
}
