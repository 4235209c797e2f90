/** How many callers may run and wait, in total and per owner. */
export interface Shares {
  running: number;
  runningOfOwner: number;
  waiting: number;
  waitingOfOwner: number;
}

interface Waiting {
  turn: Promise<void>;
  /** Stops waiting. Returns false if the caller got a slot at the last moment. */
  giveUp(): boolean;
}

/** Slots and the queue for them. Owners take turns, and no owner can hold all slots or fill the queue. */
export interface FairQueue {
  take(owner: string): boolean;
  /** Returns null if the queue, or the owner's share of it, is full. */
  wait(owner: string): Waiting | null;
  leave(owner: string): void;
}

interface Queued {
  owner: string;
  enter: () => void;
}

export function createFairQueue({ running, runningOfOwner, waiting, waitingOfOwner }: Shares): FairQueue {
  const queue: Queued[] = [];
  const runs = new Map<string, number>();
  /** Owners that run or wait; those whose turn was longest ago, or who began to wait first, come first. */
  const order = new Set<string>();
  let total = 0;

  const mayRun = (owner: string) => total < running && (runs.get(owner) ?? 0) < runningOfOwner;
  const waitsOf = (owner: string) => queue.filter((one) => one.owner === owner).length;

  function hold(owner: string): void {
    total += 1;
    runs.set(owner, (runs.get(owner) ?? 0) + 1);
    moveToEnd(owner);
  }

  function moveToEnd(owner: string): void {
    order.delete(owner);
    order.add(owner);
  }

  function forgetIfGone(owner: string): void {
    if (!runs.has(owner) && waitsOf(owner) === 0) order.delete(owner);
  }

  /** The oldest waiting caller of the owner that has waited longest for a turn. A new owner is behind those that wait already. */
  function next(): Queued | undefined {
    const able = queue.filter(({ owner }) => mayRun(owner));
    const owner = [...order].find((one) => able.some((queued) => queued.owner === one));
    return able.find((one) => one.owner === owner);
  }

  function remove(queued: Queued): boolean {
    const index = queue.indexOf(queued);
    if (index >= 0) queue.splice(index, 1);
    return index >= 0;
  }

  return {
    take(owner) {
      if (!mayRun(owner)) return false;
      hold(owner);
      return true;
    },

    wait(owner) {
      if (queue.length >= waiting || waitsOf(owner) >= waitingOfOwner) return null;
      const { promise: turn, resolve } = Promise.withResolvers<void>();
      const mine = { owner, enter: resolve };
      queue.push(mine);
      order.add(owner);
      return { turn, giveUp };

      function giveUp(): boolean {
        const isWaiting = remove(mine);
        if (isWaiting) forgetIfGone(owner);
        return isWaiting;
      }
    },

    leave(owner) {
      total -= 1;
      const left = (runs.get(owner) ?? 1) - 1;
      if (left > 0) runs.set(owner, left);
      else runs.delete(owner);
      moveToEnd(owner);
      const following = next();
      if (following && remove(following)) {
        hold(following.owner);
        following.enter();
      }
      forgetIfGone(owner);
    },
  };
}
