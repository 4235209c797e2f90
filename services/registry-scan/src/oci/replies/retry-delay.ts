export const maxAttempts = 4;
const longestWait = 30_000;

/** What came of an attempt: an answer, or none. */
export type Attempt = { status: number; retryAfter?: string | undefined } | 'no answer';

/** How long to wait before asking once more, in ms; null where asking again changes nothing. `luck` is from [0, 1). */
export function retryDelay(
  outcome: Attempt,
  attempt: number,
  { now, luck }: { now: Date; luck: number },
): number | null {
  if (attempt >= maxAttempts) return null;
  const backoff = 250 * 2 ** attempt * (0.5 + luck);
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
