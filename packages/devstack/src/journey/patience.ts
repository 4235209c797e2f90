import { setTimeout as delay } from 'node:timers/promises';

/** How long a client waits for a platform that says that it will be back, and what it says meanwhile. */
export interface Patience {
  withinMs: number;
  say: (words: string) => void;
}

const leastPauseMs = 100;

/**
 * The answer to a request, asked again as long as it is 503 or 429 with `Retry-After`: a busy machine takes that long to
 * start. The last answer is given back when the time is up.
 */
export async function askPatiently(
  what: string,
  ask: () => Promise<Response>,
  { withinMs, say, signal }: Patience & { signal: AbortSignal },
): Promise<Response> {
  const giveUp = performance.now() + withinMs;
  for (let said = ''; ; ) {
    const response = await ask();
    const pauseMs = pauseOf(response);
    if (pauseMs === null || performance.now() + pauseMs > giveUp) return response;

    const words = `${what} answered ${response.status}; waiting for the platform, ${withinMs / 1_000} s at most`;
    // Once, not every second.
    if (words !== said) say(words);
    said = words;
    await response.body?.cancel();
    await delay(pauseMs, undefined, { signal });
  }
}

function pauseOf({ status, headers }: Response): number | null {
  const seconds = headers.get('retry-after');
  if ((status !== 503 && status !== 429) || seconds === null || !/^\d{1,4}$/.test(seconds)) return null;
  return Math.max(Number(seconds) * 1_000, leastPauseMs);
}
