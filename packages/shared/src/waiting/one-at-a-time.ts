export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs works one after the other, in the order in which they come; each waits until those before it have ended, well or not. */
export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();

  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
