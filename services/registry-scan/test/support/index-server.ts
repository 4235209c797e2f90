import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { z } from 'zod';
import { digestOf } from '@berth/bus/objects/digest-of';
import type { DescribedRegistry } from '../../src/connection/described-registry.ts';
import { HelmRepositorySettings } from '../../src/providers/helm-repository/helm-repository-provider.ts';
import { type IndexText, indexOf } from './index-text.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => boolean | void;

/** A chart repository in this process, below `/stable`; a test can fill it and make it misbehave. */
export interface IndexServer extends AsyncDisposable {
  readonly origin: string;
  readonly registry: DescribedRegistry;
  /** The requests so far, as `GET /stable/…`, with their credentials and the status of the answer. */
  readonly requests: { line: string; authorization: string | undefined; status: number }[];
  /** Stores a package and lists it; `entry` replaces what the index says of it. */
  add(chart: string, version: string, archive: Uint8Array, entry?: Partial<IndexText>): string;
  remove(chart: string, version: string): void;
  /** Replaces the answer; false leaves the request to the repository. */
  misbehave(answer: Answer | undefined): void;
  /** Whether the index and the packages have ETags. */
  sendEtags(isSent: boolean): void;
}

export interface IndexServerOptions {
  address?: string;
  tls?: { key: string; cert: string };
  source?: Partial<z.input<typeof HelmRepositorySettings>>;
}

export async function startIndexServer({
  address = '127.0.0.1',
  tls,
  source = {},
}: IndexServerOptions = {}): Promise<IndexServer> {
  const charts = new Map<string, IndexText[]>();
  const files = new Map<string, Uint8Array>();
  const requests: IndexServer['requests'] = [];
  let misbehaviour: Answer | undefined;
  let hasEtags = true;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const entry = { line: `${request.method} ${request.url}`, authorization: request.headers.authorization, status: 0 };
    requests.push(entry);
    response.on('finish', () => (entry.status = response.statusCode));
    if (misbehaviour && misbehaviour(request, response) !== false) return;
    const file = files.get(request.url ?? '');
    if (file) {
      const etag = `"${digestOf(file)}"`;
      if (hasEtags && request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
      return void response.writeHead(200, hasEtags ? { etag } : {}).end(file);
    }
    if (request.url !== '/stable/index.yaml') return void response.writeHead(404).end();

    const index = indexOf(Object.fromEntries(charts));
    const etag = `"${digestOf(Buffer.from(index))}"`;
    if (hasEtags && request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(200, hasEtags ? { etag } : {}).end(index);
  }

  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  await once(server.listen(0, address), 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  const origin = `${tls ? 'https' : 'http'}://${address}:${bound.port}`;

  return {
    origin,
    requests,
    registry: HelmRepositorySettings.parse({
      type: 'helm-repository',
      url: `${origin}/stable`,
      allow_http: true,
      ...source,
    }),
    add(chart, version, archive, entry = {}) {
      const file = `charts/${chart}-${version}.tgz`;
      files.set(`/stable/${file}`, archive);
      const digest = digestOf(archive);
      const others = (charts.get(chart) ?? []).filter((other) => other.version !== version);
      charts.set(chart, [...others, { version, digest, urls: [file], ...entry }]);
      return digest;
    },
    remove(chart, version) {
      const left = (charts.get(chart) ?? []).filter((entry) => entry.version !== version);
      if (left.length > 0) charts.set(chart, left);
      else charts.delete(chart);
    },
    misbehave(next) {
      misbehaviour = next;
    },
    sendEtags(isSent) {
      hasEtags = isSent;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
