const shortestMs = 100;
const longestMs = 10_000;
/** A pause is a tenth of the wait so far, so that a rollout is noticed soon; reading a slow cluster takes a tenth of the time. */
const share = 10;

/** The pause between checks of a wait: short at its beginning, since most rollouts take seconds. */
export const pauseOfChecks = ({ waitedMs, lastTookMs }: { waitedMs: number; lastTookMs: number }): number =>
  Math.max(Math.min(Math.max(shortestMs, waitedMs / share), longestMs), lastTookMs * share);
