import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildRevision } from '../../../../scripts/images/build-revision.ts';
import type { InstalledVersion } from '../installation.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));

export interface PreviousVersion {
  /** The version's name in the output of a test. */
  readonly says: string;
  /** Undefined means the code of this checkout under another name. */
  readonly version: InstalledVersion | undefined;
  /**
   * Its service tasks knows deploys that await readiness without Helm. One that does not takes the attempt back when a runner of
   * this version hands such a task back.
   */
  readonly knowsWaits: boolean;
}

/**
 * The version from which an upgrade starts: the revision in BERTH_PREVIOUS, else the newest tagged version before this one, else
 * the code of this checkout.
 */
export async function previousVersion(signal: AbortSignal): Promise<PreviousVersion> {
  // oxlint-disable-next-line node/no-process-env -- set by whoever runs the test
  const wish = process.env['BERTH_PREVIOUS'];
  const ref = wish || (await newestTagBefore(signal));
  if (ref === undefined) {
    const says = 'the same code under another name: BERTH_PREVIOUS names no revision, and no v* tag is older';
    return { says, version: undefined, knowsWaits: true };
  }
  const commit = await git(signal, 'rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`);
  const tag = 'previous';
  const built = await buildRevision({ root, commit, tag, log: console.log, signal });
  const subject = await git(signal, 'log', '-1', '--format=%cs, %s', commit);
  const migrations = await git(signal, 'ls-tree', '--name-only', commit, 'services/tasks/migrations/');
  const knowsWaits = migrations.includes('tasks-that-await-readiness');
  return { says: `${ref} (${commit.slice(0, 12)} of ${subject})`, version: { ...built, tag }, knowsWaits };
}

async function newestTagBefore(signal: AbortSignal): Promise<string | undefined> {
  const older = ['--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-version:refname'];
  // An archive of the sources has no tags.
  const tags = await git(signal, 'tag', ...older).catch(() => '');
  return tags.split('\n')[0] || undefined;
}

async function git(signal: AbortSignal, ...args: string[]): Promise<string> {
  return (await run('git', ['-C', root, ...args], { timeout: 60_000, signal })).stdout.trim();
}
