import { digestOf } from '@berth/bus/objects/digest-of';

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const config = Buffer.from('{}');

async function put(url: string | URL, body: Buffer, type: string): Promise<void> {
  const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(body), headers: { 'content-type': type } });
  if (answer.status !== 201) throw new Error(`${String(url)} answered ${answer.status}: ${await answer.text()}`);
}

async function pushBlob(registry: string, repository: string, bytes: Buffer): Promise<void> {
  const { headers } = await fetch(`${registry}/v2/${repository}/blobs/uploads/`, { method: 'POST' });
  const upload = new URL(headers.get('location') ?? '', registry);
  upload.searchParams.set('digest', digestOf(bytes));
  await put(upload, bytes, 'application/octet-stream');
}

/** The first half of a push: nothing names the package yet. */
export async function pushPackage(registry: string, repository: string, archive: Buffer): Promise<void> {
  for (const bytes of [config, archive]) await pushBlob(registry, repository, bytes);
}

/** Pushes a packaged chart by the distribution protocol, as `helm push` does. */
export async function pushChart(registry: string, repository: string, tag: string, archive: Buffer): Promise<void> {
  await pushPackage(registry, repository, archive);
  const manifest = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest: digestOf(config), size: config.length },
    layers: [
      {
        mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
        digest: digestOf(archive),
        size: archive.length,
      },
    ],
  };
  await put(`${registry}/v2/${repository}/manifests/${tag}`, Buffer.from(JSON.stringify(manifest)), manifestType);
}
