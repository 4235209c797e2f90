/** Like `Promise.all`, but rejects only when every promise has ended, so that nothing writes after the end of its task. */
export async function allEnded<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
