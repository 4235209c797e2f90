import { slots } from './slots.ts';

export interface Place {
  /**
   * Does a part of the work that depends on somebody else. Where that takes longer than the patience, another work gets the
   * place meanwhile, and this one goes on when it has a place again.
   */
  away<T>(part: () => Promise<T>): Promise<T>;
}

/** Runs works that need much memory, in the order in which they come. */
export type Places = <T>(work: (place: Place) => Promise<T>) => Promise<T>;

/** At most `limit` works have a place at the same time; one that waits for a server that hangs holds up no other. */
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
