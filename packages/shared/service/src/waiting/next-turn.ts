import { setImmediate as afterPoll } from 'node:timers/promises';

/**
 * Waits for one full turn of the event loop, so that requests that have arrived are served first. One `setImmediate` is not
 * enough: it runs at the end of the turn that requested it.
 */
export async function nextTurn(): Promise<void> {
  await afterPoll();
  await afterPoll();
}
