import { readdir, readFile } from 'node:fs/promises';

/** A process that has just been forked has the command of its parent for a moment. */
const looksBeforeFinal = 20;
/** Then its command is read this seldom: a process may change its title. */
const finalEvery = 20;

/** The command of a process, empty if it has ended. */
export const commandOf = async (pid: string): Promise<string[]> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');

/**
 * For watching what runs on the machine many times a second: to read the command of every process that often would keep half a core
 * busy. Each call returns the pids that may have a new command. Those that have had theirs for a while come seldom, except
 * shells and Helm, since a runner keeps spare shells that become Helm.
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
