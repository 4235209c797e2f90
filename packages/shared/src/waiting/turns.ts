import type { AppError } from '../errors.ts';

export interface Turn {
  /** Work of the same name runs one after the other. */
  name: string;
  patienceMs: number;
  /** Thrown when `patienceMs` ends before the turn comes. */
  refusal: () => AppError;
}

export type InTurn = <T>(turn: Turn, work: () => Promise<T>) => Promise<T>;

/** Queues of waiting work; an empty one is removed. */
export function createTurns(): InTurn {
  const lastOf = new Map<string, Promise<unknown>>();

  return async ({ name, patienceMs, refusal }, work) => {
    const before = lastOf.get(name);
    const mine = Promise.withResolvers<void>();
    const bothOver = async () => {
      await before;
      await mine.promise;
      if (lastOf.get(name) === last) lastOf.delete(name);
    };
    const last = bothOver();
    lastOf.set(name, last);
    try {
      if (before && !(await endsWithin(before, patienceMs))) throw refusal();
      return await work();
    } finally {
      mine.resolve();
    }
  };
}

async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
