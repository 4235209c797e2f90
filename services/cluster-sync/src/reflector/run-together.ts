/** Runs all until the signal aborts. When one fails, it stops the others and waits for them before it throws the error. */
export async function runTogether(
  signal: AbortSignal,
  works: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  const failures: unknown[] = [];

  await Promise.all(
    works.map((work) =>
      work(end).catch((error: unknown) => {
        // Failures after the stop are caused by it.
        if (!end.aborted) failures.push(error);
        over.abort();
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
}
