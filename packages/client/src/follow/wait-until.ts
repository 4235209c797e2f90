import { pause } from '../http/pause.ts';

export interface WaitOptions {
  /** The awaited condition, for the error: `deployment hello to run`. */
  what: string;
  withinMs: number;
  /** The first pause in ms; each further one is half as long again. */
  everyMs?: number;
  /** The longest pause in ms; 2 s by default. */
  longestPauseMs?: number;
  signal?: AbortSignal;
}

export class WaitedTooLong extends Error {
  constructor({ what, withinMs }: WaitOptions) {
    super(`${what}: not within ${withinMs / 1000} s`);
    this.name = 'WaitedTooLong';
  }
}

const never = new AbortController().signal;

/** Repeats `read` until it returns a value. Throws `WaitedTooLong`, and errors of `read`. */
export async function waitUntil<T>(
  read: () => Promise<T | null | undefined | false>,
  options: WaitOptions,
): Promise<T> {
  const { withinMs, everyMs = 100, longestPauseMs = 2_000, signal = never } = options;
  const giveUpAt = performance.now() + withinMs;
  for (let pauseMs = everyMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const value = await read();
    if (value) return value;
    if (performance.now() + pauseMs > giveUpAt) throw new WaitedTooLong(options);
    await pause(pauseMs, signal);
  }
}
