import { readdirSync, readFileSync } from 'node:fs';

/** Name of the variable by which a guard knows what was started under it. */
export const guardMark = 'BERTH_GUARD';

/**
 * Process groups that were started with the mark of a guard: what a parent had started but not yet told of when it died.
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
    // Gone meanwhile, or not ours to look into.
    return '';
  }
}
