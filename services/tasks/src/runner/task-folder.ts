import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The private folder of one task: kubeconfig and values lie in it, readable by nobody else, and go with it. */
export interface TaskFolder extends AsyncDisposable {
  readonly path: string;
  /** Writes a file of mode 0600 and tells its path. */
  write(name: string, content: string): Promise<string>;
}

export async function createTaskFolder(root: string): Promise<TaskFolder> {
  // mkdtemp makes it mode 0700. The pid tells a later runner whose it was.
  const path = await mkdtemp(join(root, `${process.pid}-`));
  return {
    path,
    write: async (name, content) => {
      const file = join(path, name);
      await writeFile(file, content, { mode: 0o600, flag: 'wx' });
      return file;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Removes what runners that were killed left behind: their folders hold values and credentials. */
export async function sweepTaskFolders(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    const pid = Number(name.split('-')[0]);
    if (pid === process.pid || !isRunning(pid)) await rm(join(root, name), { recursive: true, force: true });
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
