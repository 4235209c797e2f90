/** Runs all until the signal aborts. When one fails the others are stopped too, and waited for, before its error goes on. */
export async function together(
  signal: AbortSignal,
  works: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  const failures: unknown[] = [];

  await Promise.all(
    works.map((work) =>
      work(end).catch((error: unknown) => {
        // What fails after the end fails because of it.
        if (!end.aborted) failures.push(error);
        over.abort();
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
}
