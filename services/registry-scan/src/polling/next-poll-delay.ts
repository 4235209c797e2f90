const longestMs = 10 * 60_000;

/** How long until a registry is polled again: its interval, doubled with each poll in a row that failed. */
export const nextPollDelay = (intervalMs: number, failures: number): number =>
  Math.max(intervalMs, Math.min(longestMs, intervalMs * 2 ** Math.min(failures, 20)));
