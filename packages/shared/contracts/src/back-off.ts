export interface BackOff {
  firstMs: number;
  longestMs: number;
  /** The share by which a pause is randomly shorter or longer, so that clients of a failed server do not all return at once. */
  jitter?: number;
}

/** The pause in ms after this many failures in a row, starting at 1: it doubles up to the longest pause. */
export const backOffMs = (
  { firstMs, longestMs, jitter = 0 }: BackOff,
  failures: number,
  random: number = Math.random(),
): number => {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return Math.round(whole * (1 - jitter + 2 * jitter * random));
};
