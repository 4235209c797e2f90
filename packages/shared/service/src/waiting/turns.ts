import type { AppError } from '@berth/contracts/errors';
import { withinMs } from './within-ms.ts';

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
      if (
        before &&
        !(await withinMs(
          patienceMs,
          before.then(() => true),
        ))
      )
        throw refusal();
      return await work();
    } finally {
      mine.resolve();
    }
  };
}
