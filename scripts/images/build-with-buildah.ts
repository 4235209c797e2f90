import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { imageName, type Naming, type Target } from './image-names.ts';

const run = promisify(execFile);

export type ArchiveFormat = 'oci' | 'docker';

export interface BuildImages {
  /** The checkout, with `Dockerfile` and `dist/`. */
  readonly root: string;
  readonly targets: readonly Target[];
  readonly naming: Naming;
  /** A folder with the files of the base image, or the name of an image. */
  readonly base: { readonly folder: string } | { readonly name: string };
  readonly buildArguments: Readonly<Record<string, string>>;
  readonly epoch: number;
  readonly formats: readonly ArchiveFormat[];
  /** Where the archives go. */
  readonly output: string;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

const LOCAL_BASE = 'localhost/berth-base';

/**
 * Builds the targets with buildah: no daemon, and no other program is started in the images. All it keeps is below the
 * output and removed at the end, so a build finds nothing of an earlier one.
 */
export async function buildWithBuildah(request: BuildImages): Promise<void> {
  const { root, targets, naming, base, buildArguments, epoch, formats, output, log, signal } = request;
  const storage = join(output, 'storage');
  await rm(storage, { recursive: true, force: true });
  await mkdir(storage, { recursive: true });
  const places = ['--root', join(storage, 'graph'), '--runroot', join(storage, 'run'), '--storage-driver', 'vfs'];
  const buildah = async (...args: string[]) =>
    (await run('buildah', [...places, ...args], { timeout: 600_000, maxBuffer: 16 * 1024 ** 2, signal })).stdout.trim();
  // Chroot: no new namespaces, which a container that builds images often may not make.
  const reproducible = ['--isolation', 'chroot', '--timestamp', String(epoch), '--format', 'oci', '--quiet'];

  try {
    if ('folder' in base) {
      const dockerfile = join(storage, 'Dockerfile.base');
      await writeFile(dockerfile, 'FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin\n');
      await buildah('bud', ...reproducible, '--file', dockerfile, '--tag', LOCAL_BASE, base.folder);
    }
    const baseName = 'folder' in base ? LOCAL_BASE : base.name;
    const given = Object.entries({ ...buildArguments, BASE: baseName });
    const args = given.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
    for (const target of targets) {
      const name = imageName(target, naming);
      await buildah('bud', ...reproducible, ...args, '--target', target, '--tag', name, root);
      for (const format of formats) {
        const file = join(output, `berth-${target}.${format}.tar`);
        await rm(file, { force: true });
        await buildah('push', '--quiet', name, `${format}-archive:${file}:${name}`);
        log(`${name} → ${file}`);
      }
    }
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
}
