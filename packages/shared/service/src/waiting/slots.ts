export interface Slots {
  /** Resolves when the caller has a slot. */
  enter(): Promise<void>;
  /** Frees the caller's slot for the next that waits. */
  leave(): void;
}

/** At most `limit` holders at the same time; those that wait enter in order of arrival. */
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
