import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { portOf } from '@berth/testing/network/port-of';
import type { z } from 'zod';
import { digestOf } from '@berth/bus/objects/digest-of';
import type { DescribedRegistry } from '../../src/connection/described-registry.ts';
import type { RegistrySource } from '../../src/connection/registry-source.ts';
import { OciSettings } from '../../src/providers/oci/oci-provider.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => boolean | void;

const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** A registry in this process; a test can fill it and make it misbehave. */
export interface OciServer extends AsyncDisposable {
  readonly origin: string;
  readonly registry: DescribedRegistry;
  readonly source: RegistrySource;
  /** The requests so far, as `GET /v2/…`, with their credentials. */
  readonly requests: { line: string; authorization: string | undefined }[];
  /** Stores a package under its digest and a manifest that names it under the tag. */
  push(repository: string, tag: string, archive: Uint8Array): { digest: string; archiveDigest: string };
  pushManifest(repository: string, tag: string, manifest: unknown): string;
  putBlob(digest: string, bytes: Uint8Array): void;
  untag(repository: string, tag: string): void;
  removeRepository(repository: string): void;
  /** Replaces the registry's answer; false leaves the request to the registry. */
  misbehave(answer: Answer | undefined): void;
  stop(): Promise<void>;
}

export interface OciServerOptions {
  address?: string;
  source?: Partial<z.input<typeof OciSettings>>;
}

export async function startOciServer({
  address = '127.0.0.1',
  source = {},
}: OciServerOptions = {}): Promise<OciServer> {
  const repositories = new Map<string, Map<string, Buffer>>();
  const blobs = new Map<string, Uint8Array>();
  const requests: OciServer['requests'] = [];
  let misbehaviour: Answer | undefined;

  const server = createServer((request, response) => {
    requests.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization });
    if (misbehaviour && misbehaviour(request, response) !== false) return;
    answer(new URL(request.url ?? '/', 'http://x').pathname, response);
  });
  await once(server.listen(0, address), 'listening');
  const port = portOf(server);
  const origin = `http://${address}:${port}`;

  function answer(path: string, response: ServerResponse): void {
    if (path === '/v2/_catalog') return sendJson(response, 200, { repositories: [...repositories.keys()] });

    const [, repository = '', kind = '', reference = ''] =
      /^\/v2\/(.+)\/(tags|manifests|blobs)\/(.+)$/.exec(path) ?? [];
    const tags = repositories.get(repository);
    if (!tags) return sendJson(response, 404, { errors: [{ code: 'NAME_UNKNOWN' }] });
    if (kind === 'tags') return sendJson(response, 200, { name: repository, tags: [...tags.keys()] });
    if (kind === 'blobs') {
      const blob = blobs.get(reference);
      if (!blob) return sendJson(response, 404, { errors: [{ code: 'BLOB_UNKNOWN' }] });
      return void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(blob);
    }
    const manifest = tags.get(reference);
    if (!manifest) return sendJson(response, 404, { errors: [{ code: 'MANIFEST_UNKNOWN' }] });
    const headers = { 'content-type': manifestType, 'docker-content-digest': digestOf(manifest) };
    return void response.writeHead(200, headers).end(manifest);
  }

  async function stop(): Promise<void> {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  const registry = OciSettings.parse({ type: 'oci', url: origin, allow_http: true, ...source });
  const oci: OciServer = {
    origin,
    requests,
    registry,
    source: registry.source,
    push(repository, tag, archive) {
      const archiveDigest = digestOf(archive);
      blobs.set(archiveDigest, archive);
      const digest = oci.pushManifest(repository, tag, chartManifest(archive));
      return { archiveDigest, digest };
    },
    pushManifest(repository, tag, manifest) {
      const bytes = Buffer.from(JSON.stringify(manifest));
      const tags = repositories.get(repository) ?? new Map<string, Buffer>();
      repositories.set(repository, tags.set(tag, bytes));
      return digestOf(bytes);
    },
    putBlob: (digest, bytes) => void blobs.set(digest, bytes),
    untag: (repository, tag) => void repositories.get(repository)?.delete(tag),
    removeRepository: (repository) => void repositories.delete(repository),
    misbehave(next) {
      misbehaviour = next;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return oci;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const chartManifest = (archive: Uint8Array) => ({
  schemaVersion: 2,
  mediaType: manifestType,
  config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest: digestOf(Buffer.from('{}')), size: 2 },
  layers: [
    {
      mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
      digest: digestOf(archive),
      size: archive.byteLength,
    },
  ],
});

export const imageManifest = {
  schemaVersion: 2,
  config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(Buffer.from('x')), size: 1 },
  layers: [],
};
