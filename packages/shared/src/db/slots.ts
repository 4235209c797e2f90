import { AppError } from '../errors.ts';

export interface Slots {
  /** Runs the work when a slot is free, or throws `unavailable` when none became free in time. */
  hold<T>(work: () => Promise<T>): Promise<T>;
}

export interface SlotsOptions {
  size: number;
  maxWaitMs: number;
  maxWaiting: number;
}

/** slonik lets clients wait for a connection without end and without number; this stands before its pool. */
export function slots({ size, maxWaitMs, maxWaiting }: SlotsOptions): Slots {
  let free = size;
  const waiting = new Set<() => void>();

  const busy = () => new AppError('unavailable', 'The database has no connection free');

  const take = async (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (waiting.size >= maxWaiting) throw busy();

    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      waiting.delete(resolve);
      reject(busy());
    }, maxWaitMs);
    waiting.add(resolve);
    await promise.finally(() => clearTimeout(timer));
  };

  const giveBack = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    async hold(work) {
      await take();
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
  };
}
