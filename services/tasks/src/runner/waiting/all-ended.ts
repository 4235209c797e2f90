/** As `Promise.all`, but it waits for all where one fails: what then still writes would do so after the end of its task. */
export async function allEnded<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
