import { readFileSync } from 'node:fs';

/**
 * When a process started, in clock ticks since boot; undefined if it is gone or the system has no /proc.
 * Together with the process id it identifies one process for good: ids are recycled, the pair is not.
 */
export function startTimeOf(pid: number): string | undefined {
  const stat = readStat(pid);
  // The second field is the command in brackets and may itself hold spaces and brackets.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}
