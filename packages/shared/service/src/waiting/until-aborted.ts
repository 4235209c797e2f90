/** The result of work, or the abort of the signal. The work continues, because others may wait for it too. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = Promise.withResolvers<never>();
  const abort = (): void => over.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
