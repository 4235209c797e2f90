import { processStat } from './process-stat.ts';

/**
 * When a process started, in clock ticks since boot; undefined if it is gone or the system has no /proc.
 * Together with the process id it identifies one process for good: ids are recycled, the pair is not.
 */
export const startTimeOf = (pid: number): string | undefined => processStat(pid)?.[19];
