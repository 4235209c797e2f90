import { setImmediate as afterPoll } from 'node:timers/promises';

/**
 * Lets the event loop turn once, so that requests which arrived are served before this goes on. One `setImmediate` is not
 * enough: it runs at the end of the turn that requested it.
 */
export async function nextTurn(): Promise<void> {
  await afterPoll();
  await afterPoll();
}
