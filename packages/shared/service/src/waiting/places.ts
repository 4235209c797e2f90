import { slots } from './slots.ts';

export interface Place {
  /**
   * Does the part of the work that waits for another system. If it takes longer than `patienceMs`, the place goes to
   * other work, and this work continues once it has a place again.
   */
  away<T>(part: () => Promise<T>): Promise<T>;
}

/** Runs work that needs much memory, in order of arrival. */
export type Places = <T>(work: (place: Place) => Promise<T>) => Promise<T>;

/**
 * At most `limit` pieces of work have a place at the same time; one that waits for a hanging server holds up no other.
 */
export function places(limit: number, { patienceMs }: { readonly patienceMs: number }): Places {
  const { enter, leave } = slots(limit);

  return async (work) => {
    await enter();
    let holds = true;
    const giveUp = (): void => {
      holds = false;
      leave();
    };
    const away: Place['away'] = async (part) => {
      const timer = setTimeout(giveUp, patienceMs);
      const result = await part().finally(() => clearTimeout(timer));
      if (!holds) await enter();
      holds = true;
      return result;
    };
    try {
      return await work({ away });
    } finally {
      if (holds) leave();
    }
  };
}
