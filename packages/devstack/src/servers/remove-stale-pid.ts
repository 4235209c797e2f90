import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServerFailed } from './server-failed.ts';

const PATIENCE_MS = 15_000;

/**
 * A killed server leaves its pid file, and Postgres refuses to start if any process has that id now. The file is removed unless
 * the process is a Postgres on this data, which may be ending; that one is waited for.
 */
export async function removeStalePid(data: string, signal: AbortSignal): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const giveUp = performance.now() + PATIENCE_MS;
  for (;;) {
    const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
    if (!pid) return;
    if (!(await isPostgresOn(pid, data))) return rm(file, { force: true });
    if (performance.now() > giveUp) throw new ServerFailed(`PostgreSQL already runs on ${data} as process ${pid}`);
    await delay(100, undefined, { signal });
  }
}

async function isPostgresOn(pid: number, data: string): Promise<boolean> {
  // Without /proc, Postgres has to decide itself.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.split('\0').includes(data);
}
