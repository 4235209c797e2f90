import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureServer, type Http2ServerResponse } from 'node:http2';
import { argv, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';

/**
 * One API server under many names: the first part of the path is the cluster. Its objects are alike in all of them, but the
 * changes, which are requested on standard input as a number per second, each happen in one.
 */
const [, , folder = '', objectCount = '1000'] = argv;

interface Item {
  metadata: { uid: string; name: string; namespace?: string; resourceVersion: string; labels: Record<string, string> };
}

/** As large as those of a usual chart: three quarters of it are fields that nobody needs here. */
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
    ...(namespace === undefined
      ? { annotations: { 'berth.dev/deployment-id': randomUUID() } }
      : { annotations: padding, managedFields }),
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

let version = 1;
const watches = new Map<string, Set<Http2ServerResponse>>();
const clusters = new Set<string>();

const { server: files } = await ensureCertificates(folder);
const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
const server = createSecureServer({ cert, key }, (request, response) => {
  const url = new URL(request.url, 'https://fake');
  const [, cluster = '', ...path] = url.pathname.split('/');
  clusters.add(cluster);
  const plural = path.at(-1) ?? '';
  response.on('error', () => undefined);
  if (url.searchParams.has('watch')) {
    response.writeHead(200);
    const key = `${cluster} ${plural}`;
    const open = watches.get(key) ?? new Set();
    watches.set(key, open.add(response));
    response.on('close', () => open.delete(response));
    return;
  }
  const all = lists.get(plural) ?? [];
  const from = Number(url.searchParams.get('continue') ?? 0);
  const to = from + Number(url.searchParams.get('limit') ?? 500);
  const more = to < all.length ? { continue: String(to) } : {};
  response.end(JSON.stringify({ metadata: { resourceVersion: String(version), ...more }, items: all.slice(from, to) }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') stdout.write(`${address?.port}\n`);
});

function change(): void {
  const names = [...clusters];
  const cluster = names[Math.floor(Math.random() * names.length)];
  const pods = lists.get('pods') ?? [];
  const pod = pods[Math.floor(Math.random() * pods.length)];
  const open = watches.get(`${cluster} pods`);
  if (!pod || !open) return;
  version += 1;
  const labels = { ...pod.metadata.labels, 'changed-at': String(Date.now()) };
  const object = { ...pod, metadata: { ...pod.metadata, resourceVersion: String(version), labels } };
  for (const watch of open) watch.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
}

let perSecond = 0;
createInterface({ input: stdin }).on('line', (line) => {
  perSecond = Number(line);
});
stdin.on('end', () => process.exit());

for (let owed = 0; ; owed += perSecond / 50) {
  for (; owed >= 1; owed -= 1) change();
  await delay(20);
}
