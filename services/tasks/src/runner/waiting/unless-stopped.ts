/** The outcome of work that cannot be ended itself, or the reason of the signal, whichever comes first. */
export async function unlessStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  stop.throwIfAborted();
  let onStop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    onStop = () => reject(stop.reason);
  });
  stop.addEventListener('abort', onStop, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}
