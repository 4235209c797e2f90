/** Returns a function that says how many of the promises have not ended yet. */
export function countPending(promises: readonly Promise<unknown>[]): () => number {
  let pending = promises.length;
  const end = () => {
    pending -= 1;
  };
  for (const promise of promises) promise.then(end, end);
  return () => pending;
}
