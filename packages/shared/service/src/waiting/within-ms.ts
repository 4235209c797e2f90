import { setImmediate } from 'node:timers/promises';

/** The result of the promise, or undefined if it takes longer; it then continues in the background. */
export async function withinMs<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  // After a stall, timers fire before sockets are read, so check for a result before reporting a timeout.
  const timer = setTimeout(() => void setImmediate().then(() => resolve(undefined)), ms);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
