import { nextTurn } from '@berth/shared/waiting/next-turn';
import type { Budget } from './budget.ts';

/** Work that says after each of its parts that it may pause. */
export type Parts<Result> = Generator<undefined, Result>;

/** With the largest part, a config of 10,000 members, some 25 ms. */
const stepsPerTurn = 5_000;

export function atOnce<Result>(parts: Parts<Result>): Result {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}

/** Lets the event loop turn whenever the work has spent its steps, so that what others wait for comes in between. */
export async function inTurns<Result>(
  parts: Parts<Result>,
  budget: Budget,
  pause: () => Promise<unknown> = nextTurn,
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
