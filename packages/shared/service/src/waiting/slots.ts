interface Waiting {
  /** Resolves when the caller has a slot. */
  turn: Promise<true>;
  /** Stops waiting. False if the caller has just been given a slot. */
  giveUp(): boolean;
}

/**
 * A number of slots and the queue for them. Every limit of concurrency is built on this, except that of `packages/untrusted-work`,
 * which gives each owner a share.
 */
export interface Slots {
  /** Takes a free slot; false if there is none. */
  take(): boolean;
  /** Waits for a slot: lower ranks first, equal ranks in order of arrival. */
  wait(rank?: number): Waiting;
  /** Frees the caller's slot for the next caller in the queue. */
  leave(): void;
  /** How many wait. */
  length(): number;
}

interface Queued {
  rank: number;
  enter(): void;
}

export function slots(limit: number): Slots {
  const queue: Queued[] = [];
  let taken = 0;

  return {
    take() {
      if (taken >= limit) return false;
      taken += 1;
      return true;
    },

    wait(rank = 0) {
      const { promise: turn, resolve } = Promise.withResolvers<true>();
      const mine = { rank, enter: () => resolve(true) };
      queue.splice(queue.findLastIndex((one) => one.rank <= rank) + 1, 0, mine);
      return {
        turn,
        giveUp() {
          const index = queue.indexOf(mine);
          if (index >= 0) queue.splice(index, 1);
          return index >= 0;
        },
      };
    },

    leave() {
      const next = queue.shift();
      if (next) next.enter();
      else taken -= 1;
    },

    length: () => queue.length,
  };
}
