import { setImmediate as afterPoll } from 'node:timers/promises';

/**
 * Lets the event loop turn once: what came in meanwhile is served before this goes on. One `setImmediate` is not enough,
 * since it is called at the end of the very turn in which it was requested.
 */
export async function nextTurn(): Promise<void> {
  await afterPoll();
  await afterPoll();
}
