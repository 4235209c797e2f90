import { readdirSync, readFileSync } from 'node:fs';
import { processStat } from './process-stat.ts';

/** Environment variable that marks all processes started under a guard. */
export const guardMark = 'BERTH_GUARD';

/**
 * Process groups with a guard's mark, including those that the parent started but had not registered when it died. Empty on
 * systems without /proc.
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

function groupOf(pid: string): number | undefined {
  const group = Number(processStat(pid)?.[2]);
  return Number.isInteger(group) && group > 1 ? group : undefined;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended, or we are not allowed to read it.
    return '';
  }
}
