import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTimeOf } from '@berth/process-guard/start-time-of';

/** The private folder of one task: kubeconfig and values lie in it, readable by nobody else, and go with it. */
export interface TaskFolder {
  readonly path: string;
  /** Writes a file of mode 0600 and tells its path. */
  write(name: string, content: string): Promise<string>;
  remove(): Promise<void>;
}

/** Process ids come back, and each container counts from one; with the time of its start one means one process. */
const ownerOf = (pid: number): string => `${pid}-${startTimeOf(pid) ?? '0'}`;

export async function createTaskFolder(root: string): Promise<TaskFolder> {
  // mkdtemp makes it mode 0700. The name tells a later runner whose it was.
  const path = await mkdtemp(join(root, `${ownerOf(process.pid)}-`));
  return {
    path,
    write: async (name, content) => {
      const file = join(path, name);
      await writeFile(file, content, { mode: 0o600 });
      return file;
    },
    remove: () => removeFolder(path),
  };
}

/** Helm may be writing into it to its last moment, so that a folder found empty is not. */
const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });

/** Removes what runners that were killed left behind: their folders hold values and credentials. */
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
