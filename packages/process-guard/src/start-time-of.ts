import { processStat } from './process-stat.ts';

/**
 * Start time of a process in clock ticks since boot; undefined if the process or /proc does not exist. Ids are reused, but id and
 * start time together identify one process.
 */
export const startTimeOf = (pid: number): string | undefined => processStat(pid)?.[19];
