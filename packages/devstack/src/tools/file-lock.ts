import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { startTimeOf } from '@berth/process-guard/start-time-of';
import { type Log, withProgress } from './with-progress.ts';

export interface FileLock {
  release(): Promise<void>;
}

const POLL_MS = 250;

/** Takes the lock; waits while a living process has it, and takes over the lock of a dead one. */
export async function takeFileLock(path: string, log: Log, signal: AbortSignal): Promise<FileLock> {
  const own = `${process.pid} ${startTimeOf(process.pid) ?? '-'} ${randomUUID()}`;
  const holder = await tryLock(path, own);
  if (holder !== undefined) {
    const says = () => `waiting for process ${holder.split(' ')[0]}, which is getting tools too`;
    await withProgress(log, says, async () => {
      while ((await tryLock(path, own)) !== undefined) await delay(POLL_MS, undefined, { signal });
    });
  }
  return { release: () => rm(path, { force: true }) };
}

/** Takes the lock if it is free; otherwise returns the process that has it. */
export async function takeFreeFileLock(path: string): Promise<FileLock | { readonly heldBy: string }> {
  const own = `${process.pid} ${startTimeOf(process.pid) ?? '-'} ${randomUUID()}`;
  // The second attempt is for a stale lock that the first one removed.
  const holder = (await tryLock(path, own)) && (await tryLock(path, own));
  if (holder !== undefined) return { heldBy: holder.split(' ')[0] ?? '?' };
  return { release: () => rm(path, { force: true }) };
}

/** Undefined if this process got the lock, else its holder. */
async function tryLock(path: string, own: string): Promise<string | undefined> {
  // Linked into place, so a lock file is never incomplete.
  const prepared = `${path}.${randomUUID()}`;
  await writeFile(prepared, own, { mode: 0o600 });
  try {
    await link(prepared, path);
    return undefined;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(prepared, { force: true });
  }
  const holder = await readFile(path, 'utf8').catch(() => '');
  if (holder !== '' && !isHeld(holder)) await removeStale(path, holder);
  return holder;
}

/** Moved aside first: if several processes see a dead holder, only one gets the file and can check it. */
async function removeStale(path: string, holder: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) !== holder) await link(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function isHeld(holder: string): boolean {
  const [pid, startTime] = holder.split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  const now = startTimeOf(Number(pid));
  return now === undefined || startTime === '-' || now === startTime;
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
