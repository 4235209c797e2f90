export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs pieces of work one after the other, in order of arrival; each waits until those before it have succeeded or
 * failed.
 */
export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();

  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
