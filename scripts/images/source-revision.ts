import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Revision {
  /** The commit, followed by `-modified` if files differ from it. */
  readonly commit: string;
  /** The time of the last commit, in seconds since 1970. Images have this time, so that equal sources give equal images. */
  readonly epoch: number;
}

/**
 * The revision and time of the sources. `SOURCE_DATE_EPOCH`, as in other reproducible builds, and `SOURCE_REVISION` take
 * precedence.
 */
export async function sourceRevision(root: string, environment: NodeJS.ProcessEnv): Promise<Revision> {
  const git = async (...args: string[]) => (await run('git', ['-C', root, ...args], { timeout: 30_000 })).stdout.trim();
  const given = Number(environment['SOURCE_DATE_EPOCH'] ?? Number.NaN);
  const givenCommit = environment['SOURCE_REVISION'];
  try {
    const [commit = '', seconds = ''] = (await git('log', '-1', '--format=%H %ct')).split(' ');
    const isModified = (await git('status', '--porcelain')) !== '';
    return {
      commit: givenCommit ?? `${commit}${isModified ? '-modified' : ''}`,
      epoch: Number.isInteger(given) ? given : Number(seconds),
    };
  } catch {
    // An archive of the sources has no git history.
    return { commit: givenCommit ?? 'unknown', epoch: Number.isInteger(given) ? given : 0 };
  }
}
