const shortestMs = 5_000;
const longestAttemptMs = 300_000;
const longestPauseMs = 60_000;

/** For how long a task waits, in pauses, before it fails. */
export const longestWaitMs = {
  /** What the task depends on does not answer. */
  away: 10 * 60_000,
  /** An API server that has just started refuses what it allowed before, until it has read its rules. */
  forbidden: 60_000,
};

/** Pause before the next attempt, doubled with each that failed; `spread` in 0–1 keeps tasks that failed together apart. */
export function retryDelayMs(attempts: number, spread: number): number {
  const doubled = shortestMs * 2 ** Math.max(0, attempts - 1);
  return Math.round(Math.min(longestAttemptMs, doubled * (1 + spread / 2)));
}

/** Pause before the next look at what the task waits for: as long as all before it, up to a minute, within `longest` in all. */
export function waitDelayMs(waitedMs: number, longest: number, spread: number): number {
  const growing = Math.min(Math.max(waitedMs, shortestMs), longestPauseMs);
  return Math.max(1, Math.round(Math.min(growing * (1 + spread / 2), longest - waitedMs)));
}
