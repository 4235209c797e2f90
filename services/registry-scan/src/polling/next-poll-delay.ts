import { backOffMs } from '@berth/contracts/back-off';

const longestMs = 10 * 60_000;

/** The pause before the next poll of a registry: its interval, doubled for each consecutive failure. */
export const nextPollDelay = (intervalMs: number, failures: number): number =>
  backOffMs({ firstMs: intervalMs, longestMs: Math.max(intervalMs, longestMs) }, failures + 1);
