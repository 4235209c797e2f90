import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const digestOf = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');

/**
 * Writes an image archive with the one process that holds the namespaces of a pod. The usual one is in a public registry; a sleeping
 * busybox does the same.
 */
export async function writePauseImage(folder: string, name: string, signal: AbortSignal): Promise<string> {
  const work = join(folder, 'pause');
  const blobs = join(work, 'layout/blobs/sha256');
  await mkdir(join(work, 'root'), { recursive: true });
  await mkdir(blobs, { recursive: true });
  await copyFile('/bin/busybox', join(work, 'root/busybox'));
  const layerFile = join(work, 'layer.tar');
  await run('tar', ['--create', '--file', layerFile, '--directory', join(work, 'root'), 'busybox'], { signal });

  const put = async (content: Buffer | string, mediaType: string) => {
    await writeFile(join(blobs, digestOf(content)), content);
    return { mediaType, digest: `sha256:${digestOf(content)}`, size: Buffer.byteLength(content) };
  };
  const oci = 'application/vnd.oci.image';
  const layer = await put(await readFile(layerFile), `${oci}.layer.v1.tar`);
  const config = await put(
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Entrypoint: ['/busybox', 'sleep', 'infinity'] },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    }),
    `${oci}.config.v1+json`,
  );
  const manifest = await put(
    JSON.stringify({ schemaVersion: 2, mediaType: `${oci}.manifest.v1+json`, config, layers: [layer] }),
    `${oci}.manifest.v1+json`,
  );
  const annotations = { 'io.containerd.image.name': name };
  await writeFile(join(work, 'layout/oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  await writeFile(
    join(work, 'layout/index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }),
  );
  const archive = join(folder, 'pause.tar');
  await run('tar', ['--create', '--file', archive, '--directory', join(work, 'layout'), '.'], { signal });
  await rm(work, { recursive: true, force: true });
  return archive;
}
