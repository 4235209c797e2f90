import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Revision {
  /** The commit, with `-modified` where files differ from it. */
  readonly commit: string;
  /** Seconds since 1970: when the sources were as they are. Images say it of themselves, so that equal ones are equal. */
  readonly epoch: number;
}

/** What the images are made of. `SOURCE_DATE_EPOCH` wins, as in other builds that can be repeated, and so does `SOURCE_REVISION`. */
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
    // An archive of the sources has no history.
    return { commit: givenCommit ?? 'unknown', epoch: Number.isInteger(given) ? given : 0 };
  }
}
