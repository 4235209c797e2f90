import { setImmediate } from 'node:timers/promises';

/** The result of the promise, or undefined when it takes longer; it then continues in the background. */
export async function withinMs<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  // After a stall of this process timers come first: a result that has arrived in between is handled before it counts as late.
  const timer = setTimeout(() => void setImmediate().then(() => resolve(undefined)), ms);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
