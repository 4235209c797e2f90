import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTimeOf } from '@berth/process-guard/start-time-of';
import { transient } from '../outcome/task-failure.ts';

/** The private folder of one run, for kubeconfig and values. */
export interface TaskFolder {
  readonly path: string;
  /** Writes a file of mode 0600, in a folder of mode 0700, and returns its path. */
  write(name: string, content: string): Promise<string>;
  remove(): Promise<void>;
}

/** Process ids are reused, and each container counts from one; together with its start time an id names one process. */
const ownerOf = (pid: number): string => `${pid}-${startTimeOf(pid) ?? '0'}`;

/** The first file creates the folder, whose name shows a later runner which process it belonged to. */
export function createTaskFolder(root: string): TaskFolder {
  const path = join(root, `${ownerOf(process.pid)}-${randomUUID()}`);
  return {
    path,
    async write(name, content) {
      const file = join(path, name);
      try {
        await mkdir(path, { recursive: true, mode: 0o700 });
        await writeFile(file, content, { mode: 0o600 });
      } catch (error) {
        throw transient('The runner could not write the files of the task; its disk may be full', error);
      }
      return file;
    },
    remove: () => removeFolder(path),
  };
}

/** Retried, because Helm may still write into a folder that was just emptied. */
const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });

/** Removes the folders of runners that were killed: they hold values and credentials. */
export async function sweepTaskFolders(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    const pid = Number(name.split('-')[0]);
    if (!Number.isInteger(pid) || !name.startsWith(`${ownerOf(pid)}-`) || !isRunning(pid)) {
      await removeFolder(join(root, name));
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
