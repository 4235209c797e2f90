export interface Slots {
  /** Resolves when the caller has one of them. */
  enter(): Promise<void>;
  /** Gives one to the next that waits. */
  leave(): void;
}

/** So many at the same time, in the order in which they come. */
export function slots(limit: number): Slots {
  const waiting: (() => void)[] = [];
  let taken = 0;

  return {
    async enter() {
      if (taken < limit) taken += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    },
  };
}
