import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ArchiveFormat } from './build-with-buildah.ts';
import { digestOf } from './digest-of.ts';
import type { Naming, Target } from './image-names.ts';

const run = promisify(execFile);

export interface RepeatElsewhere {
  readonly root: string;
  readonly targets: readonly Target[];
  readonly naming: Naming;
  readonly format: ArchiveFormat;
  readonly base: string | undefined;
  /** The folder with the archives of the first build. */
  readonly output: string;
  readonly commit: string;
  readonly epoch: number;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Builds the images again from the same sources in another folder; throws if a digest differs. */
export async function repeatElsewhere(request: RepeatElsewhere): Promise<void> {
  const { root, targets, naming, format, base, output, commit, epoch, log, signal } = request;
  const folder = await mkdtemp(join(tmpdir(), 'berth-again-'));
  try {
    log(`building once more in ${folder}`);
    await copySources(root, folder, signal);
    const args = ['scripts/berth.mjs', 'images', '--builder', 'buildah', '--format', format, '--tag', naming.tag];
    for (const target of targets) args.push('--only', target);
    if (naming.registry !== undefined) args.push('--registry', naming.registry);
    if (base !== undefined) args.push('--base', base);
    const again = join(folder, 'dist/images');
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch), SOURCE_REVISION: commit };
    const options = { cwd: folder, env, timeout: 40 * 60_000, maxBuffer: 64 * 1024 ** 2, signal };
    await run(process.execPath, [...args, '--output', again], options);

    const different: string[] = [];
    for (const target of targets) {
      const name = `berth-${target}.${format}.tar`;
      const [first, second] = await Promise.all([output, again].map((folder) => digestOf(join(folder, name))));
      log(`${name}: ${first} ${first === second ? 'twice' : `and then ${second}`}`);
      if (first !== second) different.push(name);
    }
    if (different.length > 0) throw new Error(`these images are not reproducible: ${different.join(', ')}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Files of the working tree that git tracks or would add. */
async function copySources(root: string, folder: string, signal: AbortSignal): Promise<void> {
  const args = ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const { stdout } = await run('git', args, { maxBuffer: 64 * 1024 ** 2, timeout: 60_000, signal });
  const deleted = new Set(
    (await run('git', ['-C', root, 'ls-files', '-z', '--deleted'], { timeout: 60_000, signal })).stdout.split('\0'),
  );
  for (const file of stdout.split('\0').filter((name) => name !== '' && !deleted.has(name))) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file), { verbatimSymlinks: true });
  }
}
