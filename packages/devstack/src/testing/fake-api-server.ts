import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCertificates } from '../servers/kubernetes/certificates.ts';
import type { KubeAccess } from '@berth/kube/kube-access';
import { portOf } from '@berth/testing/network/port-of';

interface FakeObject {
  metadata: { uid: string; name: string; namespace?: string; resourceVersion: string };
}

/** The metadata of an object, and the list that it belongs to (pods by default). */
interface FakeContent {
  path?: string;
  metadata?: { namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
}

/** The part of a response that HTTP/1.1 and HTTP/2 share. */
export interface Answer {
  writeHead(status: number, headers?: Record<string, string>): unknown;
  /** HTTP/2 sends the headers at once. */
  flushHeaders?(): void;
  write(text: string): boolean;
  end(): unknown;
  end(text: string): unknown;
  on(event: 'close' | 'error', listener: () => void): unknown;
}

interface Requested {
  url: URL;
  isWatch: boolean;
  /** The bearer token. */
  token?: string | undefined;
}

type Misbehave = (request: Requested, response: Answer) => boolean;

export interface FakeApiServer extends AsyncDisposable {
  readonly access: KubeAccess;
  readonly port: number;
  /** The requests so far, in order, with their times. */
  readonly requests: { path: string; isWatch: boolean; resourceVersion: string | null; at: number }[];
  /** Replaces the answer to a request; false leaves it to the server. */
  misbehave: Misbehave | null;
  /** Puts an object and sends its event to the watches. */
  put(name: string, content?: FakeContent): FakeObject;
  remove(name: string, content?: FakeContent): void;
  /** Puts or removes an object without an event. */
  putSilently(name: string, content?: FakeContent): void;
  removeSilently(name: string, content?: FakeContent): void;
  /** Writes to all open watches. */
  write(text: string): void;
  endWatches(): void;
  /** Closes all connections. */
  cut(): void;
  /** How many connections are open. */
  connections(): number;
}

/** A small API server over TLS with a few lists; a test can make it misbehave. */
export async function startFakeApiServer({
  pageSize = 500,
  protocol,
}: {
  pageSize?: number;
  protocol?: 'h2' | 'http/1.1';
} = {}): Promise<FakeApiServer> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-fake-api-'));
  const { server: files, pem } = await ensureCertificates(folder);
  const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);

  const objects = new Map<string, { path: string; object: FakeObject }>();
  const history: { version: number; path: string; type: string; object: FakeObject }[] = [];
  const watches = new Map<Answer, string>();
  const requests: FakeApiServer['requests'] = [];
  let version = 100;

  const change = (type: string, name: string, { path = '/api/v1/pods', metadata }: FakeContent, sendEvent = true) => {
    version += 1;
    const key = `${path} ${metadata?.namespace ?? ''} ${name}`;
    const before = objects.get(key)?.object.metadata ?? { uid: randomUUID(), name, namespace: 'managed' };
    const object = { metadata: { ...before, ...metadata, resourceVersion: String(version) } };
    if (type === 'DELETED') objects.delete(key);
    else objects.set(key, { path, object });
    const eventType = type === 'ADDED' && 'resourceVersion' in before ? 'MODIFIED' : type;
    history.push({ version, path, type: eventType, object });
    for (const [watch, watched] of watches) {
      if (sendEvent && watched === path) watch.write(`${JSON.stringify({ type: eventType, object })}\n`);
    }
    return object;
  };

  function list(url: URL, response: Answer): void {
    const from = Number(url.searchParams.get('continue') ?? 0);
    const [, namespace] = /\/namespaces\/([^/]+)\//.exec(url.pathname) ?? [];
    const path = url.pathname.replace(/\/namespaces\/[^/]+\//, '/');
    const all = [...objects.values()]
      .filter((each) => each.path === path && (!namespace || each.object.metadata.namespace === namespace))
      .map(({ object }) => object);
    const to = from + Math.min(pageSize, Number(url.searchParams.get('limit') ?? pageSize));
    const items = all.slice(from, to);
    const more = to < all.length ? { continue: String(to) } : {};
    response.end(JSON.stringify({ metadata: { resourceVersion: String(version), ...more }, items }));
  }

  function watch(url: URL, response: Answer): void {
    const from = Number(url.searchParams.get('resourceVersion'));
    sendHeaders(response);
    for (const event of history) {
      if (event.version <= from || event.path !== url.pathname) continue;
      response.write(`${JSON.stringify({ type: event.type, object: event.object })}\n`);
    }
    watches.set(response, url.pathname);
    response.on('close', () => watches.delete(response));
  }

  const ALPNProtocols = protocol === undefined ? ['h2', 'http/1.1'] : [protocol];
  const server = createSecureServer({ cert, key, allowHTTP1: true, ALPNProtocols }, (request, response) => {
    // Node keeps a stream that the client resets without an error until its request has been read.
    request.resume();
    const url = new URL(request.url, 'https://fake');
    const isWatch = url.searchParams.has('watch');
    requests.push({
      path: url.pathname,
      isWatch,
      resourceVersion: url.searchParams.get('resourceVersion'),
      at: performance.now(),
    });
    response.on('error', () => undefined);
    const token = request.headers.authorization?.replace('Bearer ', '');
    if (fake.misbehave?.({ url, isWatch, token }, response)) return;
    (isWatch ? watch : list)(url, response);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  server.on('clientError', (_, socket) => socket.destroy()).on('sessionError', () => undefined);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);

  const fake: FakeApiServer = {
    access: { server: `https://127.0.0.1:${port}`, ca: pem.authority, token: 'fake', certificate: null },
    port,
    requests,
    misbehave: null,
    put: (name, content = {}) => change('ADDED', name, content),
    putSilently: (name, content = {}) => void change('ADDED', name, content, false),
    removeSilently: (name, content = {}) => void change('DELETED', name, content, false),
    remove: (name, content = {}) => void change('DELETED', name, content),
    write: (text) => {
      for (const response of watches.keys()) response.write(text);
    },
    endWatches: () => {
      for (const response of watches.keys()) response.end();
    },
    cut,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      server.close();
      cut();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return fake;
}

/** Begins an answer whose body comes later. */
export function sendHeaders(response: Answer): void {
  response.writeHead(200);
  response.flushHeaders?.();
}

/** Answers with a status, as an overloaded or broken API server does. */
export const failWith =
  (status: number, headers: Record<string, string> = {}): Misbehave =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ kind: 'Status', code: status, message: 'as the test wants it' }));
    return true;
  };
