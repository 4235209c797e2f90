import { slots } from './slots.ts';
import { withinMs } from './within-ms.ts';

export interface Slot {
  /**
   * Runs a part of the work that waits for another system. If it takes longer than `awayMs`, its slot goes to other work, and
   * this work continues once it has a slot again.
   */
  away<T>(part: () => Promise<T>): Promise<T>;
  /** Lets waiting work go first. Long work calls it now and then, so that it does not keep its slot all the time. */
  pass(): Promise<void>;
}

interface Patience {
  patienceMs: number;
  /** Thrown if the turn does not come within `patienceMs`. */
  refusal: () => Error;
}

/** Runs work when its turn comes. */
export type InTurn = <T>(work: (slot: Slot) => Promise<T>, patience?: Patience) => Promise<T>;

export interface AtMostOptions {
  /** Work that takes longer continues without a slot, so that hanging work does not hold up the rest. */
  readonly holdMs?: number;
  readonly awayMs?: number;
}

/** Runs at most `limit` pieces of work at the same time, in order of arrival. */
export function atMost(limit: number, { holdMs, awayMs }: AtMostOptions = {}): InTurn {
  const { take, wait, leave } = slots(limit);

  async function enter(patience?: Patience): Promise<void> {
    if (take()) return;
    const { turn, giveUp } = wait();
    if (!patience) await turn;
    else if (!(await withinMs(patience.patienceMs, turn)) && giveUp()) throw patience.refusal();
  }

  return async (work, patience) => {
    await enter(patience);
    let holds = true;
    const release = (): void => {
      if (holds) leave();
      holds = false;
    };
    const holding = async <T>(ms: number | undefined, part: () => Promise<T>): Promise<T> => {
      const timer = ms === undefined ? undefined : setTimeout(release, ms);
      try {
        return await part();
      } finally {
        clearTimeout(timer);
      }
    };
    const away: Slot['away'] = async (part) => {
      const result = await holding(awayMs, part);
      if (!holds) await enter();
      holds = true;
      return result;
    };
    const pass: Slot['pass'] = async () => {
      release();
      await enter();
      holds = true;
    };
    try {
      return await holding(holdMs, () => work({ away, pass }));
    } finally {
      release();
    }
  };
}
