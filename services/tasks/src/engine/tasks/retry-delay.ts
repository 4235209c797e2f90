import { backOffMs } from '@berth/contracts/back-off';

const shortestMs = 5_000;
const longestAttemptMs = 300_000;
const longestPauseMs = 60_000;

/** The longest total wait before a task fails. */
export const longestWaitMs = {
  /** A dependency of the task does not answer. */
  away: 10 * 60_000,
  /** An API server that has just started refuses everything until it has loaded its RBAC rules. */
  forbidden: 60_000,
};

/** Pause before the next attempt, doubled with each failure. The random `spread` in 0–1 separates tasks that failed together. */
export function retryDelayMs(attempts: number, spread: number): number {
  const doubled = backOffMs({ firstMs: shortestMs, longestMs: longestAttemptMs }, attempts);
  return Math.round(Math.min(longestAttemptMs, doubled * (1 + spread / 2)));
}

/**
 * Pause before the next check of a dependency: as long as all pauses before it together, at most a minute, and at most `longest`
 * in total.
 */
export function waitDelayMs(waitedMs: number, longest: number, spread: number): number {
  const growing = Math.min(Math.max(waitedMs, shortestMs), longestPauseMs);
  return Math.max(1, Math.round(Math.min(growing * (1 + spread / 2), longest - waitedMs)));
}
