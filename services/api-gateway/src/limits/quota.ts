/** A burst of this many units, which come back evenly over a window. A request costs one unit or more. */
export interface Quota {
  requests: number;
  windowMs: number;
}

/**
 * The state of a quota: the time at which it is full again, which is past if it is unused (the generic cell rate algorithm). Each
 * use adds the time in which one unit comes back.
 */
export type FullAt = number;

const costMs = ({ requests, windowMs }: Quota): number => windowMs / requests;

/** Whole requests that may be made now; negative if the quota is overdrawn. */
export const leftOf = (quota: Quota, fullAt: FullAt, now: number): number =>
  Math.floor(exactlyLeftOf(quota, fullAt, now));

/** Includes the fraction of a unit that has come back. */
export const exactlyLeftOf = (quota: Quota, fullAt: FullAt, now: number): number =>
  // Rounded: an error in the last digits of large times must not lose a whole request.
  Math.round((quota.requests - Math.max(0, fullAt - now) / costMs(quota)) * 1e6) / 1e6;

/** How long until a request may be made; 0 if one may be made now. */
export const waitOf = (quota: Quota, fullAt: FullAt, now: number): number => {
  const left = exactlyLeftOf(quota, fullAt, now);
  return left >= 1 ? 0 : (1 - left) * costMs(quota);
};

/** The state after `times` requests. Overdrawn by at most the whole quota, so that the wait stays below two windows. */
export const afterUse = (quota: Quota, fullAt: FullAt, now: number, times = 1): FullAt =>
  Math.min(Math.max(fullAt, now) + times * costMs(quota), now + 2 * quota.windowMs);
