import { readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';
const gigabyte = 1024 ** 3;
/** The files of a run take less than a third of it. */
const roomNeeded = 4 * gigabyte;
/** The free memory that a run needs for these files and its servers. */
const memoryNeeded = 2 * roomNeeded;

/**
 * The folder for all files of a run: in memory where there is room, unless `TMPDIR` names one. Tests create and drop hundreds of
 * databases and stores of hundreds of files each, and on a disk making a file can take longer than what is written to it: without
 * a journal, ext4 looks for an inode that was not freed in the last seconds.
 */
export async function temporaryParent(): Promise<string> {
  if (process.env['TMPDIR'] || process.availableMemory() < memoryNeeded) return tmpdir();
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  if (!runsProgramsInMemory(mounts)) return tmpdir();
  const { bavail, bsize } = await statfs(inMemory);
  return bavail * bsize < roomNeeded ? tmpdir() : inMemory;
}

/** Whether there is a file system in memory whose programs may be run: tests write some. */
export function runsProgramsInMemory(mounts: string): boolean {
  const mount = mounts.split('\n').findLast((line) => line.split(' ')[1] === inMemory);
  const [, , type, options = ''] = mount?.split(' ') ?? [];
  return type === 'tmpfs' && !options.split(',').includes('noexec');
}
