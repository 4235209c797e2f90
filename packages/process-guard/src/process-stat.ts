import { readFileSync } from 'node:fs';

/**
 * The fields of /proc/<pid>/stat after the command, so the first one is the state; undefined if the process or /proc does not
 * exist.
 */
export function processStat(pid: number | string): string[] | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The second field is the command in brackets, which may itself contain spaces and brackets.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
