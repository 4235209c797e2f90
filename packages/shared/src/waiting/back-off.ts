/** 0.25 s, doubling up to 5 s, with jitter, so that many clients of one failed server do not return at once. */
export const backoffMs = (failures: number): number => {
  const whole = Math.min(5_000, 250 * 2 ** Math.min(failures - 1, 10));
  return Math.round(whole * (0.75 + Math.random() / 2));
};
