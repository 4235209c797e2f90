import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installedTargets } from './image-names.ts';

const run = promisify(execFile);

export interface BuildRevision {
  readonly root: string;
  /** The full hash; images that were built from it before are reused. */
  readonly commit: string;
  readonly tag: string;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface BuiltRevision {
  /** The umbrella chart in that revision. */
  readonly chart: string;
  /** Archives of its images, in the format of `docker load`. */
  readonly archives: readonly string[];
}

/** Builds the images of another revision of this repository with its own scripts, in a temporary worktree. */
export async function buildRevision({ root, commit, tag, log, signal }: BuildRevision): Promise<BuiltRevision> {
  const output = join(root, 'dist/revisions', `${commit}-${tag}`);
  const built = {
    chart: join(output, 'chart'),
    archives: installedTargets.map((target) => join(output, `berth-${target}.docker.tar`)),
  };
  if (await isThere(output)) return built;

  const folder = await mkdtemp(join(tmpdir(), 'berth-revision-'));
  const worktree = join(folder, 'berth');
  const git = (...args: string[]) => run('git', ['-C', root, ...args], { timeout: 120_000, signal });
  try {
    log(`building the images of ${commit.slice(0, 12)} (minutes)`);
    await git('worktree', 'add', '--detach', worktree, commit);
    const unfinished = join(folder, 'images');
    const args = ['images', '--builder', 'buildah', '--format', 'docker', '--tag', tag, '--output', unfinished];
    const options = { cwd: worktree, timeout: 30 * 60_000, maxBuffer: 64 * 1024 ** 2, signal };
    await run(process.execPath, ['scripts/berth.mjs', ...args], options);
    await cp(join(worktree, 'deploy/berth'), join(unfinished, 'chart'), { recursive: true });
    await keep(unfinished, output);
    return built;
  } finally {
    await rm(folder, { recursive: true, force: true });
    // Removes Git's entries of worktrees whose folders are gone.
    await run('git', ['-C', root, 'worktree', 'prune'], { timeout: 120_000 });
  }
}

const isThere = (folder: string) =>
  readdir(folder).then(
    () => true,
    () => false,
  );

/** Atomic, even if the temporary folder is on another file system. */
async function keep(folder: string, output: string): Promise<void> {
  const copy = `${output}.copy`;
  await mkdir(dirname(output), { recursive: true });
  await rm(copy, { recursive: true, force: true });
  await cp(folder, copy, { recursive: true });
  await rename(copy, output);
}
