/** The share of the lease after which the runner gives up the claim: 20 of 30 s, well before others may take it. */
const safeShare = 2 / 3;

const heartbeatMs = 5_000;
const retryMs = 1_000;
/** Soon after the claim: the task may have been canceled before this runner listened for the hint. */
const firstMs = 1_000;

/** When the runner gives up a claim that was made or renewed by a request sent then. */
export const safeUntil = (sentAt: number, leaseMs: number): number => sentAt + leaseMs * safeShare;

/** Answers may arrive out of order; an older one does not shorten the claim. */
export const renewedUntil = (deadline: number, sentAt: number, leaseMs: number): number =>
  Math.max(deadline, safeUntil(sentAt, leaseMs));

/** Time for which no other runner can have the task. */
export const remainingOf = (deadline: number, now: number): number => Math.max(0, deadline - now);

/**
 * The pause before the next heartbeat. `renewed`: the result of the last one, null before the first. `awaits`: without a Helm that
 * would have to end in time, every other heartbeat is enough, and hundreds of claims may wait.
 */
export function heartbeatPause(
  leaseMs: number,
  { renewed, awaits }: { renewed: boolean | null; awaits: boolean },
): number {
  const longest = Math.min(heartbeatMs, leaseMs / 6) * (renewed && awaits ? 2 : 1);
  if (renewed) return longest;
  return Math.min(renewed === null ? firstMs : retryMs, longest);
}
