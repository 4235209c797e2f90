import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BaseImage } from './base-image.ts';
import { imageName, type Naming, type Target } from './image-names.ts';

const run = promisify(execFile);

export type ArchiveFormat = 'oci' | 'docker';

export interface BuildImages {
  /** The checkout, with `Dockerfile` and `dist/`. */
  readonly root: string;
  readonly targets: readonly Target[];
  readonly naming: Naming;
  /** Folders with the files of a base image, or an image's name. */
  readonly base: Pick<BaseImage, 'folder' | 'shell'> | { readonly name: string };
  readonly buildArguments: Readonly<Record<string, string>>;
  readonly epoch: number;
  readonly formats: readonly ArchiveFormat[];
  /** The folder for the archives. */
  readonly output: string;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

const LOCAL_BASE = 'localhost/berth-base';
const WITH_SHELL = 'localhost/berth-base-with-shell';

/**
 * Builds the targets with buildah, which needs no daemon and runs no program of the images. Its state is below the output folder
 * and removed at the end, so builds do not affect each other.
 */
export async function buildWithBuildah(request: BuildImages): Promise<void> {
  const { root, targets, naming, base, buildArguments, epoch, formats, output, log, signal } = request;
  const storage = join(output, 'storage');
  await rm(storage, { recursive: true, force: true });
  await mkdir(storage, { recursive: true });
  const storageOptions = [
    '--root',
    join(storage, 'graph'),
    '--runroot',
    join(storage, 'run'),
    '--storage-driver',
    'vfs',
  ];
  const buildah = async (...args: string[]) =>
    (
      await run('buildah', [...storageOptions, ...args], { timeout: 600_000, maxBuffer: 16 * 1024 ** 2, signal })
    ).stdout.trim();
  // Chroot, because containers that build images often may not create namespaces.
  const reproducible = ['--isolation', 'chroot', '--timestamp', String(epoch), '--format', 'oci', '--quiet'];

  try {
    if ('folder' in base) {
      const dockerfile = join(storage, 'Dockerfile.base');
      const layer = async (name: string, from: string, folder: string) => {
        await writeFile(dockerfile, `FROM ${from}\nCOPY . /\nENV PATH=/usr/local/bin\n`);
        await buildah('bud', ...reproducible, '--file', dockerfile, '--tag', name, folder);
      };
      await layer(LOCAL_BASE, 'scratch', base.folder);
      if (targets.includes('runner')) await layer(WITH_SHELL, LOCAL_BASE, base.shell.folder);
    }
    const baseOf = (target: Target) => {
      if ('name' in base) return base.name;
      return target === 'runner' ? WITH_SHELL : LOCAL_BASE;
    };
    for (const target of targets) {
      const name = imageName(target, naming);
      const given = Object.entries({ ...buildArguments, BASE: baseOf(target) });
      const args = given.flatMap(([argument, value]) => ['--build-arg', `${argument}=${value}`]);
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
