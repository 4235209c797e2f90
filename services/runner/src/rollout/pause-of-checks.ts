const shortestMs = 100;
const longestMs = 10_000;
/** A rollout is noticed a tenth later than it took, and a slow cluster is read for a tenth of the time. */
const share = 10;

/** The pause between checks of a wait: short at its beginning, since most rollouts take seconds. */
export const pauseOfChecks = ({ waitedMs, lastTookMs }: { waitedMs: number; lastTookMs: number }): number =>
  Math.max(Math.min(Math.max(shortestMs, waitedMs / share), longestMs), lastTookMs * share);
