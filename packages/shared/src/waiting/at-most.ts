import type { InTurn } from './one-at-a-time.ts';
import { slots } from './slots.ts';

export interface AtMostOptions {
  /** A work that takes longer goes on, but the next one begins: one that hangs must not hold up all others. */
  readonly holdMs: number;
}

/** Runs at most `limit` works at the same time, in the order in which they come. */
export function atMost(limit: number, { holdMs }: AtMostOptions): InTurn {
  const { enter, leave } = slots(limit);

  return async (work) => {
    await enter();
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
