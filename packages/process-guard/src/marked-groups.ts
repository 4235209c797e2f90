import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable that marks everything started under a guard. */
export const guardMark = 'BERTH_GUARD';

/**
 * Process groups that carry the mark of a guard, among them any that a parent started but had not registered when it died.
 * None where the system has no /proc.
 */
export function markedGroups(mark: string): number[] {
  const entry = `${guardMark}=${mark}`;
  const groups = pids().flatMap((pid) => {
    const isMarked = read(`/proc/${pid}/environ`).split('\0').includes(entry);
    const group = isMarked ? groupOf(pid) : undefined;
    return group === undefined ? [] : [group];
  });
  return [...new Set(groups)];
}

function pids(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** The fifth field; the second is the command in brackets, which may itself hold spaces and brackets. */
function groupOf(pid: string): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  return Number.isInteger(group) && group > 1 ? group : undefined;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended, or we may not read it.
    return '';
  }
}
