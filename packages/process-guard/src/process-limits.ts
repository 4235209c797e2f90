import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { processStat } from './process-stat.ts';

/** What a child process may use. The kernel keeps both limits, for each process that it starts in turn as well. */
export interface ProcessLimits {
  memoryBytes: number;
  /** In its whole life; without a limit unless it is given. */
  cpuSecs?: number;
}

/**
 * Arguments of `ulimit` for the shell that becomes the process. Memory is limited by what the process may write to (RLIMIT_DATA):
 * Go and V8 reserve gigabytes of addresses that they never use, so a limit of the address space would say nothing. They also
 * make more writable than they write: Helm some 70 MiB, Node 560 MiB. None of this needs a right, or a cgroup of its own, which a
 * container may not make.
 */
export const ulimits = ({ memoryBytes, cpuSecs }: ProcessLimits): string[] => [
  '-c 0',
  `-d ${Math.floor(memoryBytes / 1024)}`,
  ...(cpuSecs === undefined ? [] : [`-t ${Math.ceil(cpuSecs)}`]),
];

/** The program and its arguments behind a shell that sets the limits and becomes the program. */
export const withLimits = (limits: ProcessLimits, command: readonly string[]): [program: string, args: string[]] => [
  '/bin/sh',
  [
    '-c',
    `${ulimits(limits)
      .map((limit) => `ulimit ${limit} 2>/dev/null; `)
      .join('')}exec "$@"`,
    'sh',
    ...command,
  ],
];

/** Others get the processor first, and the kernel ends this process before them where memory runs out. Best effort. */
export function giveWay(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
    setPriority(pid, 10);
  } catch {
    // The process has ended, or this is not Linux.
  }
}

/** Linux shows times of processes in hundredths of a second, whatever its own clock does. */
const ticksPerSecond = 100;

/** The processor time that a process has used; undefined if it is gone. */
export function cpuSecsOf(pid: number): number | undefined {
  const stat = processStat(pid);
  return stat && (Number(stat[11]) + Number(stat[12])) / ticksPerSecond;
}
