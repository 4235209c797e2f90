import type { InTurn } from './one-at-a-time.ts';
import { slots } from './slots.ts';

export interface AtMostOptions {
  /** Work that takes longer continues, but gives up its place: work that hangs must not hold up all the rest. */
  readonly holdMs: number;
}

/** Runs at most `limit` pieces of work at the same time, in order of arrival. */
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
