import type { InTurn } from './one-at-a-time.ts';

export interface AtMostOptions {
  /** A work that takes longer goes on, but the next one begins: one that hangs must not hold up all others. */
  readonly holdMs: number;
}

/** Runs at most `limit` works at the same time, in the order in which they come. */
export function atMost(limit: number, { holdMs }: AtMostOptions): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;

  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };

  return async (work) => {
    if (running < limit) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));

    let holds = true;
    const release = (): void => {
      if (holds) leave();
      holds = false;
    };
    const timer = setTimeout(release, holdMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      release();
    }
  };
}
