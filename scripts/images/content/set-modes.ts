import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Readable by everybody and writable only by the owner, whatever umask the checkout had. */
export async function setModes(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await setModes(path);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
