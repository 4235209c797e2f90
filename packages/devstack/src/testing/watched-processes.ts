import { readdirSync, readFileSync } from 'node:fs';

/** For a moment, a forked process still has the command of its parent. */
const readsBeforeFinal = 20;
/** Afterwards its command is read only this often, since a process may change its title. */
const finalEvery = 20;

/**
 * The command of a process; empty if it has ended. Read synchronously: /proc never blocks, and Node's threads would make it cost
 * three times as much.
 */
export function commandOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [''];
  }
}

export const allPids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

/**
 * For watching the processes of the machine many times a second: reading every command each time would use half a core. Each call
 * returns the pids whose command may be new. Pids with a known command come less often, except for shells and Helm, since a
 * runner keeps spare shells that become Helm.
 */
export function watchedProcesses(): () => string[] {
  let reads = new Map<string, number>();
  return () => {
    const next = new Map<string, number>();
    const due: string[] = [];
    for (const pid of allPids()) {
      const before = reads.get(pid) ?? 0;
      if (before < readsBeforeFinal || before % finalEvery === 0) due.push(pid);
      const becomesFinal = before === readsBeforeFinal - 1;
      next.set(pid, becomesFinal && mayChange(pid) ? 0 : before + 1);
    }
    reads = next;
    return due;
  };
}

function mayChange(pid: string): boolean {
  const [program = ''] = commandOf(pid);
  return /(^|\/)(sh|helm)$/.test(program);
}
