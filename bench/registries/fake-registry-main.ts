import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { argv } from 'node:process';
import { chartTgz, chartYaml } from '@berth/chart-archive/testing/tgz';

/** An OCI registry of many repositories, and a chart repository with a large index below `/stable`. Its parent process asks how much it has sent. */
const [repositories = 0, tags = 0, packages = 0, entries = 0] = argv.slice(2).map(Number);

const digestOf = (bytes: Uint8Array | string): string => `sha256:${hash('sha256', bytes)}`;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const blobs = new Map<string, Buffer>();
const manifests = new Map<string, Map<string, Buffer>>();

/** Returns the digest of the tag. */
async function add(repository: string, tag: string, version: string): Promise<string> {
  const archive = await chartTgz({ 'Chart.yaml': chartYaml({ version, description: repository }) });
  const layer = {
    mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
    digest: digestOf(archive),
    size: archive.length,
  };
  const config = { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest: digestOf('{}'), size: 2 };
  blobs.set(layer.digest, archive);
  const manifest = { schemaVersion: 2, mediaType: manifestType, config, layers: [layer] };
  const known = manifests.get(repository) ?? new Map<string, Buffer>();
  const bytes = Buffer.from(JSON.stringify(manifest));
  manifests.set(repository, known.set(tag, bytes));
  return digestOf(bytes);
}

for (let at = 0; at < repositories; at += 1) {
  // Several tags share a package, as in real registries.
  for (let tag = 0; tag < tags; tag += 1) await add(`charts/web-${at}`, `1.0.${tag}`, `1.0.${tag % packages}`);
}

const archive = await chartTgz({ 'Chart.yaml': chartYaml({ name: 'chart-0', version: '1.0.0' }) }, 'chart-0');
const index = indexOfMany();
const etag = `"${hash('sha256', index)}"`;

/** Entries as large as in public repositories. */
function indexOfMany(): Buffer {
  const versions = 200;
  const lines = ['apiVersion: v1', 'entries:'];
  for (let at = 0; at < entries; at += 1) {
    // The first one has a single version, so that a scan of it reads the index and one package.
    const [chart, version] = [`chart-${Math.ceil(at / versions)}`, `1.0.${at % versions}`];
    if (at === 0 || at % versions === 1) lines.push(`  ${chart}:`);
    lines.push(
      '  - apiVersion: v2',
      `    appVersion: ${version}`,
      '    created: "2026-11-25T19:00:00.000000001Z"',
      `    description: ${'A chart that deploys an application with its database. '.repeat(3)}`,
      `    digest: ${at === 0 ? hash('sha256', archive) : hash('sha256', String(at))}`,
      '    home: https://charts.example.com',
      '    keywords:',
      '    - web',
      '    maintainers:',
      '    - email: somebody@example.com',
      '      name: somebody',
      `    name: ${chart}`,
      '    urls:',
      `    - charts/${chart}-${version}.tgz`,
      `    version: ${version}`,
    );
  }
  return Buffer.from(`${lines.join('\n')}\ngenerated: "2026-11-25T19:00:00.000000001Z"\n`);
}

let requests = 0;
/** How long the last reader of the whole index took. */
let indexSeconds = 0;
const server = createServer((request, response) => {
  requests += 1;
  const json = (body: unknown) => response.end(JSON.stringify(body));
  const { url = '' } = request;
  if (url.startsWith('/v2/_catalog')) return json({ repositories: [...manifests.keys()] });
  if (url === '/stable/index.yaml') {
    const isKnown = request.headers['if-none-match'] === etag;
    const startedAt = performance.now();
    if (!isKnown) response.on('finish', () => (indexSeconds = (performance.now() - startedAt) / 1_000));
    return response.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? undefined : index);
  }
  if (url.startsWith('/stable/')) return response.end(archive);
  const [, repository = '', kind = '', reference = ''] = /^\/v2\/(.+)\/(tags|manifests|blobs)\/([^?]+)/.exec(url) ?? [];
  const known = manifests.get(repository);
  if (kind === 'tags' && known) return json({ name: repository, tags: [...known.keys()] });
  const body = kind === 'blobs' ? blobs.get(reference) : known?.get(reference);
  if (!body) return response.writeHead(404).end('{"errors": [{"code": "MANIFEST_UNKNOWN"}]}');
  if (kind === 'manifests') response.setHeader('docker-content-digest', digestOf(body));
  return response
    .writeHead(200, { 'content-type': kind === 'manifests' ? manifestType : 'application/octet-stream' })
    .end(body);
});

/** Answers once the pushed tag, if any, is stored. */
async function answer({ repository, tag }: { repository?: string; tag?: string }): Promise<void> {
  const digest = repository !== undefined && tag !== undefined ? await add(repository, tag, tag) : undefined;
  process.send?.({ requests, indexBytes: index.length, indexSeconds, digest });
}
process.on('message', (push: { repository?: string; tag?: string }) => void answer(push));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
