import { closeSync, openSync } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';

const LARGEST_KEPT = 10 * 1024 ** 2;
const TAIL_BYTES = 4096;
const TAIL_LINES = 15;

/** Opens a log file for the server's own output. The previous log is kept as `.1`. */
export async function openServerLog(path: string): Promise<{ fd: number; close(): void }> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LARGEST_KEPT) await rename(path, `${path}.1`);
  const fd = openSync(path, 'a', 0o600);
  return { fd, close: () => closeSync(fd) };
}

/** The last lines of a log, without reading all of a large one. */
export async function lastLinesOf(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
    return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  } catch {
    return '';
  } finally {
    await file?.close();
  }
}
