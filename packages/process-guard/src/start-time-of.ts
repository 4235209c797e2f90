import { readFileSync } from 'node:fs';

/**
 * When a process started, in clock ticks since boot; undefined where it is gone or the system has no /proc.
 * With the process id it names one process for good: ids come back, a pair of both does not.
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
