import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { processStat } from './process-stat.ts';

/** Limits of a child process, enforced by the kernel; each process that it starts gets the same limits. */
export interface ProcessLimits {
  memoryBytes: number;
  /** In its whole life; unlimited by default. */
  cpuSecs?: number;
}

/**
 * Arguments of `ulimit` for the shell that becomes the process. Memory is limited by writable pages (RLIMIT_DATA): Go and V8
 * reserve gigabytes of address space that they never use. They also map more writable memory than they write: Helm some 70 MiB,
 * Node 560 MiB. This requires neither a permission nor a cgroup, which a container may not create.
 */
export const ulimits = ({ memoryBytes, cpuSecs }: ProcessLimits): string[] => [
  '-c 0',
  `-d ${Math.floor(memoryBytes / 1024)}`,
  ...(cpuSecs === undefined ? [] : [`-t ${Math.ceil(cpuSecs)}`]),
];

const shell = '/bin/sh';

/**
 * The program with its arguments, behind a shell that sets the limits and then becomes the program. An image without a shell runs it without
 * limits: Node cannot set them.
 */
export function withLimits(
  limits: ProcessLimits,
  [program = '', ...args]: readonly string[],
): [program: string, args: string[]] {
  if (!existsSync(shell)) return [program, args];
  const set = ulimits(limits).map((limit) => `ulimit ${limit} 2>/dev/null; `);
  return [shell, ['-c', `${set.join('')}exec "$@"`, 'sh', program, ...args]];
}

/** Other processes get the processor first, and if memory runs out, the kernel kills this process before them. Best effort. */
export function giveWay(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
    setPriority(pid, 10);
  } catch {
    // The process has ended, or this is not Linux.
  }
}

/** Linux reports process times in hundredths of a second, whatever its own clock uses. */
const ticksPerSecond = 100;

/** Processor time that a process has used; undefined if it is gone. */
export function cpuSecsOf(pid: number): number | undefined {
  const stat = processStat(pid);
  return stat && (Number(stat[11]) + Number(stat[12])) / ticksPerSecond;
}
