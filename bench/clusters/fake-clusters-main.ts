import { hash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { argv, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { z } from 'zod';
import { deploymentIdOf } from './deployment-id-of.ts';

/**
 * One API server for many clusters: the first part of the path names the cluster. All clusters have the same objects. Changes are
 * requested on standard input, and each happens in one cluster.
 */
const [, , folder = '', objectCount = '1000'] = argv;
const Command = z.object({
  /** The number of changes per second, in these clusters. */
  changes: z.number(),
  clusters: z.array(z.string()),
});

interface Item {
  metadata: {
    uid: string;
    name: string;
    namespace?: string;
    resourceVersion: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
  };
}

/** As large as those of a typical chart; three quarters are fields that cluster-sync does not read. */
const padding = { 'example.com/notes': 'n'.repeat(800) };
const managedFields = [
  { manager: 'helm', fieldsV1: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f:field-${n}`, {}])) },
];

const item = (name: string, namespace: string | undefined, more: object): Item => ({
  metadata: {
    uid: randomUUID(),
    name,
    ...(namespace !== undefined && { namespace }),
    resourceVersion: '1',
    labels: { app: 'web', 'app.kubernetes.io/managed-by': 'berth' },
    ...(namespace !== undefined && { annotations: padding, managedFields }),
  },
  ...more,
});

const lists = new Map<string, Item[]>();
const add = (plural: string, each: Item) => lists.set(plural, [...(lists.get(plural) ?? []), each]);
const container = {
  name: 'web',
  image: 'registry.example/web:1',
  env: Array.from({ length: 20 }, (_, n) => ({ name: `VARIABLE_${n}`, value: 'value'.repeat(6) })),
};
for (let n = 0; n < Number(objectCount) / 20; n += 1) {
  const space = `web-${n}`;
  add('namespaces', item(space, undefined, { status: { phase: 'Active' } }));
  for (const each of ['a', 'b']) {
    const ready = {
      spec: { replicas: 4, template: { spec: { containers: [container] } } },
      status: { replicas: 4, readyReplicas: 4, availableReplicas: 4 },
    };
    add('deployments', item(`web-${each}`, space, ready));
    add('replicasets', item(`web-${each}-1`, space, ready));
    add('services', item(`web-${each}`, space, { spec: { type: 'ClusterIP', ports: [{ port: 80 }] } }));
    add('persistentvolumeclaims', item(`data-${each}`, space, { status: { phase: 'Bound' } }));
    add('ingresses', item(`web-${each}`, space, { spec: { rules: [{ host: `${space}.example.com` }] } }));
    for (let pod = 0; pod < 4; pod += 1) {
      const status = {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ name: 'web', ready: true, restartCount: 0, state: { running: {} } }],
      };
      add(
        'pods',
        item(`web-${each}-1-${pod}`, space, {
          spec: { nodeName: 'node-1', containers: [container, container] },
          status,
        }),
      );
    }
  }
  add('jobs', item('migrate', space, { status: { succeeded: 1 } }));
}

/** In each cluster, a namespace belongs to another deployment. */
const inCluster = (each: Item, cluster: string): Item =>
  each.metadata.namespace === undefined
    ? {
        ...each,
        metadata: {
          ...each.metadata,
          annotations: {
            'berth.dev/deployment-id': deploymentIdOf(cluster, each.metadata.name),
            'berth.dev/mark': deploymentIdOf(cluster, each.metadata.name),
          },
        },
      }
    : each;

let version = 1;
const watches = new Map<string, Set<Http2ServerResponse>>();
const secrets = new Map<string, Map<string, unknown>>();
/** The last change of each pod that changed. */
const lastChanges = new Map<string, string>();

async function answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
  const url = new URL(request.url, 'https://fake');
  const [, cluster = '', ...path] = url.pathname.split('/');
  const plural = path.at(-1) ?? '';
  const send = (object: unknown) => response.end(JSON.stringify(object));

  if (url.searchParams.has('watch')) {
    response.writeHead(200);
    const key = `${cluster} ${plural}`;
    const open = watches.get(key) ?? new Set();
    watches.set(key, open.add(response));
    response.on('close', () => open.delete(response));
    return;
  }
  const [, namespace = ''] = /\/namespaces\/([^/]+)/.exec(url.pathname) ?? [];
  if (plural === 'service-creds') {
    const body = Object(await json(request));
    const metadata = { ...body.metadata, namespace, uid: hash('sha1', cluster + namespace), resourceVersion: '1' };
    const secret = { ...body, metadata };
    const kept = secrets.get(cluster) ?? new Map<string, unknown>();
    secrets.set(cluster, kept.set(namespace, secret));
    emit(`${cluster} secrets`, 'MODIFIED', secret);
    send(secret);
    return;
  }
  if (plural === namespace) {
    const found = lists.get('namespaces')?.find(({ metadata }) => metadata.name === namespace);
    send(found && inCluster(found, cluster));
    return;
  }
  const all = plural === 'secrets' ? [...(secrets.get(cluster)?.values() ?? [])] : (lists.get(plural) ?? []);
  const from = Number(url.searchParams.get('continue') ?? 0);
  const to = from + Number(url.searchParams.get('limit') ?? 500);
  const more = to < all.length ? { continue: String(to) } : {};
  const items = plural === 'namespaces' ? (lists.get(plural) ?? []).map((each) => inCluster(each, cluster)) : all;
  send({ metadata: { resourceVersion: String(version), ...more }, items: items.slice(from, to) });
}

function emit(key: string, type: string, object: unknown): boolean {
  const open = watches.get(key);
  for (const watch of open ?? []) watch.write(`${JSON.stringify({ type, object })}\n`);
  return open !== undefined && open.size > 0;
}

const { server: files } = await ensureCertificates(folder);
const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
const server = createSecureServer({ cert, key, settings: { maxConcurrentStreams: 250 } }, (request, response) => {
  response.on('error', () => undefined);
  answer(request, response).catch(() => response.stream.destroy());
});
server.on('sessionError', () => undefined).on('tlsClientError', () => undefined);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') stdout.write(`${address?.port}\n`);
});

let command: z.infer<typeof Command> = { changes: 0, clusters: [] };

function change(): void {
  const { clusters } = command;
  const cluster = clusters[Math.floor(Math.random() * clusters.length)] ?? '';
  const pods = lists.get('pods') ?? [];
  const pod = pods[Math.floor(Math.random() * pods.length)];
  if (!pod) return;
  version += 1;
  const at = String(Date.now());
  const labels = { ...pod.metadata.labels, 'changed-at': at };
  const object = { ...pod, metadata: { ...pod.metadata, resourceVersion: String(version), labels } };
  if (emit(`${cluster} pods`, 'MODIFIED', object)) lastChanges.set(`${cluster} ${pod.metadata.uid}`, at);
}

createInterface({ input: stdin }).on('line', (line) => {
  if (line !== 'report') command = Command.parse(JSON.parse(line));
  else stdout.write(`${JSON.stringify([...lastChanges])}\n`);
});
stdin.on('end', () => process.exit());

for (let owed = 0; ; owed += command.changes / 50) {
  for (; owed >= 1; owed -= 1) change();
  await delay(20);
}
