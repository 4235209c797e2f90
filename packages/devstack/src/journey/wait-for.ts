import { setTimeout as delay } from 'node:timers/promises';

/** Asks until there is an answer; gives up with words that say what was waited for. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false>,
  { withinMs, everyMs = 100, signal }: { withinMs: number; everyMs?: number; signal: AbortSignal },
): Promise<T> {
  const giveUp = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > giveUp) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await delay(everyMs, undefined, { signal });
  }
}
