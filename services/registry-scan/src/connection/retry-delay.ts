import { backOffMs } from '@berth/contracts/back-off';

export const maxAttempts = 4;
const longestWait = 30_000;
const backOff = { firstMs: 500, longestMs: longestWait, jitter: 0.5 };

/** The outcome of an attempt. */
export type Attempt = { status: number; retryAfter?: string | undefined } | 'no answer';

/** How long to wait before a retry, in ms; null if a retry is pointless. `random` is from [0, 1). */
export function retryDelay(
  outcome: Attempt,
  attempt: number,
  { now, random }: { now: Date; random: number },
): number | null {
  if (attempt >= maxAttempts) return null;
  const backoff = backOffMs(backOff, attempt, random);
  if (outcome === 'no answer') return backoff;

  const { status, retryAfter } = outcome;
  if (status !== 429 && status < 500) return null;
  return Math.min(waitOf(retryAfter, now) ?? backoff, longestWait);
}

/** `Retry-After` is either seconds or a date. */
function waitOf(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
