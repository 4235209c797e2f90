import { setImmediate } from 'node:timers/promises';

/** The result of the promise, or undefined when it takes longer; it then continues in the background. */
export async function withinMs<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  // After a stall, timers fire before sockets are read: handle a result that has arrived before calling it late.
  const timer = setTimeout(() => void setImmediate().then(() => resolve(undefined)), ms);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
