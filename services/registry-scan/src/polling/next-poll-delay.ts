const longestMs = 10 * 60_000;

/** The pause before the next poll of a registry: its interval, doubled for each consecutive failure. */
export const nextPollDelay = (intervalMs: number, failures: number): number =>
  Math.max(intervalMs, Math.min(longestMs, intervalMs * 2 ** Math.min(failures, 20)));
