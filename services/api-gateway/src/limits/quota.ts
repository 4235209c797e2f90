/** This many requests at once, and as many again in each window, spread evenly over it. */
export interface Quota {
  requests: number;
  windowMs: number;
}

/**
 * What is left of a quota is one time, the one at which all of it is there again (the generic cell rate algorithm): the past
 * where nothing was used. Each use moves it by the time that one request takes to come back.
 */
export type FullAt = number;

const costMs = ({ requests, windowMs }: Quota): number => windowMs / requests;

/** Whole requests that may be made now; below zero where more were made than were left. */
export const leftOf = (quota: Quota, fullAt: FullAt, now: number): number =>
  Math.floor(exactlyLeftOf(quota, fullAt, now));

/** With the part of a request that has come back so far. */
export const exactlyLeftOf = (quota: Quota, fullAt: FullAt, now: number): number =>
  // Rounded far below what a clock shows: times are large, and a whole request must not be missed by their last digit.
  Math.round((quota.requests - Math.max(0, fullAt - now) / costMs(quota)) * 1e6) / 1e6;

/** How long until a request may be made; 0 where one may be made now. */
export const waitOf = (quota: Quota, fullAt: FullAt, now: number): number => {
  const left = exactlyLeftOf(quota, fullAt, now);
  return left >= 1 ? 0 : (1 - left) * costMs(quota);
};

/** After `times` requests. It is overdrawn by the whole quota at most, so that the wait stays below two windows. */
export const afterUse = (quota: Quota, fullAt: FullAt, now: number, times = 1): FullAt =>
  Math.min(Math.max(fullAt, now) + times * costMs(quota), now + 2 * quota.windowMs);
