import { readdir, readFile } from 'node:fs/promises';

/** For a moment, a forked process still has the command of its parent. */
const looksBeforeFinal = 20;
/** Afterwards its command is read only this often, since a process may change its title. */
const finalEvery = 20;

/** The command of a process; empty if it has ended. */
export const commandOf = async (pid: string): Promise<string[]> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');

/**
 * For watching the processes of the machine many times a second: reading every command each time would use half a core. Each call
 * returns the pids whose command may be new. Pids with a known command come less often, except for shells and Helm, since a
 * runner keeps spare shells that become Helm.
 */
export function watchedProcesses(): () => Promise<string[]> {
  let looks = new Map<string, number>();
  return async () => {
    const next = new Map<string, number>();
    const due: string[] = [];
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const before = looks.get(pid) ?? 0;
      if (before < looksBeforeFinal || before % finalEvery === 0) due.push(pid);
      const becomesFinal = before === looksBeforeFinal - 1;
      next.set(pid, becomesFinal && (await mayChange(pid)) ? 0 : before + 1);
    }
    looks = next;
    return due;
  };
}

async function mayChange(pid: string): Promise<boolean> {
  const [program = ''] = await commandOf(pid);
  return /(^|\/)(sh|helm)$/.test(program);
}
