import type { Budget } from './budget.ts';

/** Work that can pause between its parts. */
export type Parts<Result> = Generator<undefined, Result>;

/** About 25 ms, including the largest part, a config of 10,000 members. */
const stepsPerTurn = 5_000;

export function atOnce<Result>(parts: Parts<Result>): Result {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}

/**
 * Yields whenever the work has used up its steps, so that other requests are not held up. The caller decides how to yield,
 * because browsers load this module, too.
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
