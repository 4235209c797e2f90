import type { Budget } from './budget.ts';

/** Work in parts, between which it may pause. */
export type Parts<Result> = Generator<undefined, Result>;

/** About 25 ms, with the largest part: a config of 10,000 members. */
const stepsPerTurn = 5_000;

export function atOnce<Result>(parts: Parts<Result>): Result {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}

/**
 * Yields to the event loop whenever the work has spent its steps, so that other requests are not held up. How is up to the caller:
 * a browser loads this, too.
 */
export async function inTurns<Result>(
  parts: Parts<Result>,
  budget: Budget,
  pause: () => Promise<unknown>,
): Promise<Result> {
  let turnEnd = budget.spent.steps + stepsPerTurn;
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
    if (budget.spent.steps < turnEnd) continue;
    await pause();
    turnEnd = budget.spent.steps + stepsPerTurn;
  }
}
