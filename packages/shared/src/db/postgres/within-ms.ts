import { setImmediate } from 'node:timers/promises';

/** What the promise gives, or undefined when it takes longer; it goes on by itself then. */
export async function withinMs<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  // After a stall of this process timers come first: what arrived meanwhile gets its turn before it counts as late.
  const timer = setTimeout(() => void setImmediate().then(() => resolve(undefined)), ms);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
