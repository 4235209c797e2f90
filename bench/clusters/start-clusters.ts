import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { portOf } from '@berth/testing/network/port-of';
import { z } from 'zod';

export const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export interface FakeClusters extends AsyncDisposable {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly names: readonly string[];
  /** The clusters in the kubeconfig. Half of `holes` accept connections and never answer, the others drop them. */
  configure(names: readonly string[], holes?: ReadonlySet<string>): Promise<void>;
  /** Changes of pods per second, each in one of the clusters. */
  change(perSecond: number, clusters: readonly string[]): void;
  /** The last change of each pod, by cluster and uid. */
  lastChanges(): Promise<ReadonlyMap<string, string>>;
}

/** Many clusters: one API server in a separate process, and two servers that never answer. */
export async function startClusters({
  clusters,
  objects,
}: {
  clusters: number;
  objects: number;
}): Promise<FakeClusters> {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-clusters-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const { pem } = await ensureCertificates(folder);

  const child = spawn(process.execPath, [fileOf('fake-clusters-main.ts'), folder, String(objects)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  stack.defer(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface({ input: child.stdout });
  const [port] = await once(lines, 'line');

  const silent = stack.use(await startHole((socket) => void socket.resume()));
  const dropping = stack.use(await startHole((socket) => void socket.destroy()));
  const kubeconfig = join(folder, 'kubeconfig.json');
  const authority = Buffer.from(pem.authority).toString('base64');

  return {
    folder,
    kubeconfig,
    names: Array.from({ length: clusters }, (_, n) => `c${n}`),
    async configure(names, holes = new Set()) {
      const darkPorts = new Map([...holes].map((name, n) => [name, n % 2 === 0 ? silent.port : dropping.port]));
      const cluster = (name: string) => ({
        server: `https://127.0.0.1:${darkPorts.get(name) ?? port}/${name}`,
        'certificate-authority-data': authority,
      });
      const config = {
        clusters: names.map((name) => ({ name, cluster: cluster(name) })),
        users: [{ name: 'bench', user: { token: 'bench' } }],
        contexts: names.map((name) => ({ name, context: { cluster: name, user: 'bench' } })),
      };
      await writeFile(`${kubeconfig}.new`, JSON.stringify(config));
      await rename(`${kubeconfig}.new`, kubeconfig);
    },
    change(perSecond, among) {
      child.stdin.write(`${JSON.stringify({ changes: perSecond, clusters: among })}\n`);
    },
    async lastChanges() {
      const next = once(lines, 'line');
      child.stdin.write('report\n');
      const [line] = await next;
      return new Map(z.array(z.tuple([z.string(), z.string()])).parse(JSON.parse(String(line))));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function startHole(accept: (socket: Socket) => void): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    accept(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
