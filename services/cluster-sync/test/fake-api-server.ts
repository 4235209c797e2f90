import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import type { KubeAccess } from '@berth/shared/kube/kube-access';

export interface FakeObject {
  metadata: { uid: string; name: string; namespace: string; resourceVersion: string };
}

type Misbehave = (request: { url: URL; isWatch: boolean }, response: ServerResponse) => boolean;

export interface FakeApiServer extends AsyncDisposable {
  readonly access: KubeAccess;
  readonly port: number;
  /** What was asked for, in order, with the time. */
  readonly requests: { path: string; isWatch: boolean; resourceVersion: string | null; at: number }[];
  /** Answers a request otherwise; true when it did. */
  misbehave: Misbehave | null;
  /** Puts an object and tells those who watch. */
  put(name: string): FakeObject;
  remove(name: string): void;
  /** As a put that no watch is told of. */
  putSilently(name: string): void;
  /** Writes to all open watches. */
  write(text: string): void;
  endWatches(): void;
  /** Cuts all connections. */
  cut(): void;
}

/** A small API server of one list of pods, over TLS, that can be made to misbehave as real ones do. */
export async function startFakeApiServer({ pageSize = 500 } = {}): Promise<FakeApiServer> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-fake-api-'));
  const { server: files, pem } = await ensureCertificates(folder);
  const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);

  const objects = new Map<string, FakeObject>();
  const history: { version: number; type: string; object: FakeObject }[] = [];
  const watches = new Set<ServerResponse>();
  const requests: FakeApiServer['requests'] = [];
  let version = 100;

  const change = (type: string, object: FakeObject, tell = true) => {
    version += 1;
    const changed = { metadata: { ...object.metadata, resourceVersion: String(version) } };
    if (type === 'DELETED') objects.delete(object.metadata.name);
    else objects.set(object.metadata.name, changed);
    history.push({ version, type, object: changed });
    if (tell) for (const watch of watches) watch.write(`${JSON.stringify({ type, object: changed })}\n`);
    return changed;
  };

  function list(url: URL, response: ServerResponse): void {
    const from = Number(url.searchParams.get('continue') ?? 0);
    const items = [...objects.values()].slice(from, from + pageSize);
    const more = from + pageSize < objects.size ? { continue: String(from + pageSize) } : {};
    response.end(JSON.stringify({ metadata: { resourceVersion: String(version), ...more }, items }));
  }

  function watch(url: URL, response: ServerResponse): void {
    const from = Number(url.searchParams.get('resourceVersion'));
    response.flushHeaders();
    for (const event of history) {
      if (event.version > from) response.write(`${JSON.stringify({ type: event.type, object: event.object })}\n`);
    }
    watches.add(response);
    response.on('close', () => watches.delete(response));
  }

  const server = createServer({ cert, key }, (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'https://fake');
    const isWatch = url.searchParams.has('watch');
    requests.push({
      path: url.pathname,
      isWatch,
      resourceVersion: url.searchParams.get('resourceVersion'),
      at: performance.now(),
    });
    response.on('error', () => undefined);
    if (fake.misbehave?.({ url, isWatch }, response)) return;
    (isWatch ? watch : list)(url, response);
  });
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');

  const newObject = (name: string): FakeObject =>
    objects.get(name) ?? { metadata: { uid: randomUUID(), name, namespace: 'ours', resourceVersion: '0' } };

  const fake: FakeApiServer = {
    access: { server: `https://127.0.0.1:${address.port}`, ca: pem.authority, token: 'fake', certificate: null },
    port: address.port,
    requests,
    misbehave: null,
    put: (name) => change(objects.has(name) ? 'MODIFIED' : 'ADDED', newObject(name)),
    putSilently: (name) => void change('ADDED', newObject(name), false),
    remove: (name) => void change('DELETED', newObject(name)),
    write: (text) => {
      for (const response of watches) response.write(text);
    },
    endWatches: () => {
      for (const response of watches) response.end();
    },
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return fake;
}

/** Answers as an API server that is overloaded or broken. */
export const failWith =
  (status: number, headers: Record<string, string> = {}): Misbehave =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ kind: 'Status', code: status, message: 'as the test wants it' }));
    return true;
  };
