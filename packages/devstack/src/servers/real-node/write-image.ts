import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const digestOf = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');

export interface ImageFiles {
  /** The full name of the image with its registry, as Kubernetes uses it. */
  readonly name: string;
  /** Folder with the files of the image. */
  readonly root: string;
  readonly entrypoint: readonly string[];
  readonly env?: readonly string[];
  /** Path of the archive to write. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Writes the archive of an image with one layer, for machines that cannot pull public images. Returns its path. */
export async function writeImage({ name, root, entrypoint, env = [], folder, signal }: ImageFiles): Promise<string> {
  const file = name.replaceAll(/[^a-z0-9.-]/g, '_');
  const work = join(folder, `${file}.layout`);
  const blobs = join(work, 'layout/blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const layerFile = join(work, 'layer.tar');
  await run('tar', ['--create', '--file', layerFile, '--directory', root, '.'], { signal });

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
      config: { Entrypoint: entrypoint, Env: env },
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
  const archive = join(folder, `${file}.tar`);
  await run('tar', ['--create', '--file', archive, '--directory', join(work, 'layout'), '.'], { signal });
  await rm(work, { recursive: true, force: true });
  return archive;
}
