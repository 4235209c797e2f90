import type { TaskOutcome } from '@berth/contracts/resources/tasks/runner-tasks';
import { longestWaitMs, retryDelayMs, waitDelayMs } from './retry-delay.ts';

/** The counts and pauses of earlier claims that a task keeps. */
export interface ClaimHistory {
  /** Claims in which Helm had begun. */
  attempts: number;
  /** Sum of the pauses for dependencies that did not answer, since Helm last began. */
  waited_ms: number;
  /** Like `waited_ms`, for pauses after the cluster denied a permission. */
  forbidden_ms: number;
  /** Claims that a stopping runner gave back. */
  handed_back: number;
}

/**
 * Helm at the end of a claim. Unless it is `not begun`, `attempts` counts it.
 * - `works`: it may be at any line.
 * - `ended`: it has deployed the release. The attempt has succeeded, and the next claim continues the wait for readiness.
 */
export type HelmAtEnd = 'not begun' | 'works' | 'ended';

/** What is known of the Helm of a claim. A runner that stops right after its Helm says so before any heartbeat could. */
export interface HelmFacts {
  began: boolean;
  /** A heartbeat said that the claim only awaits readiness. */
  awaits: boolean;
  /** The runner says with the outcome that its Helm has ended. */
  saysEnded: boolean;
}

/**
 * | began | awaits or says that it ended | Helm |
 * |---|---|---|
 * | no | either | not begun |
 * | yes | no | works |
 * | yes | yes | ended |
 */
export function helmAtEnd({ began, awaits, saysEnded }: HelmFacts): HelmAtEnd {
  if (!began) return 'not begun';
  return awaits || saysEnded ? 'ended' : 'works';
}

export interface EndedClaim extends ClaimHistory {
  /** `Silent`: no heartbeat for a whole lease. */
  outcome: TaskOutcome | 'Silent';
  helm: HelmAtEnd;
  isCanceled: boolean;
  /** The operation may be repeated after it had begun. */
  isRepeatable: boolean;
}

export interface RetryPolicy {
  maxAttempts: number;
  leaseMs: number;
  /** Random, 0–1: spreads the repeats of tasks that failed together. */
  spread: () => number;
}

export interface TaskEnds {
  ends: 'Done' | 'Failed' | 'Canceled';
  /** Appended to the task's reason. */
  because?: string;
}

/** The task is due again after the pause. */
export interface TaskWaits extends ClaimHistory {
  pauseMs: number;
}

const notRepeated =
  'the call may have arrived, so it is not repeated: look at the deployment before you retry the task';

/** More than any rollout takes. Without a limit, a runner that keeps stopping would run Helm forever. */
const mostHandedBack = 100;

/**
 * Decides what happens to a task when its claim is over. An attempt counts once Helm has begun; before that, the task waits for
 * its dependencies. The wait is the sum of its pauses, so time spent in the queue does not count.
 */
export function afterClaim(claim: EndedClaim, policy: RetryPolicy): TaskEnds | TaskWaits {
  const { outcome, handed_back, attempts, waited_ms, forbidden_ms } = claim;
  if (outcome === 'Done' || outcome === 'Failed' || outcome === 'Canceled') return { ends: outcome };
  if (claim.isCanceled) return { ends: 'Canceled' };
  if (claim.helm === 'works' && !claim.isRepeatable) return { ends: 'Failed', because: notRepeated };
  if (outcome === 'HandedBack' && handed_back < mostHandedBack) {
    const counted = attempts - (claim.helm === 'works' ? 1 : 0);
    return { pauseMs: 0, attempts: counted, waited_ms, forbidden_ms, handed_back: handed_back + 1 };
  }
  return claim.helm === 'works' ? afterAttempt(claim, policy) : afterWait(claim, policy);
}

function afterAttempt(
  { outcome, attempts, handed_back }: EndedClaim,
  { maxAttempts, spread }: RetryPolicy,
): TaskEnds | TaskWaits {
  if (attempts >= maxAttempts) return { ends: 'Failed', because: `attempt ${attempts} of ${maxAttempts}` };
  const again = { attempts, handed_back, waited_ms: 0, forbidden_ms: 0 };
  if (outcome === 'Silent') return { ...again, pauseMs: 0 };
  const pauseMs = retryDelayMs(attempts, spread());
  // The last attempt waits long enough for the dependency to recover.
  const isLast = attempts === maxAttempts - 1;
  return { ...again, pauseMs: isLast ? Math.max(pauseMs, longestWaitOf(outcome)) : pauseMs };
}

function afterWait(claim: EndedClaim, { leaseMs, spread }: RetryPolicy): TaskEnds | TaskWaits {
  const { outcome, attempts, handed_back, waited_ms, forbidden_ms } = claim;
  const isForbidden = outcome === 'Forbidden';
  const waited = isForbidden ? forbidden_ms : waited_ms;
  const longest = isForbidden ? longestWaitMs.forbidden : longestWaitMs.away;
  if (waited >= longest) return { ends: 'Failed', because: `waited ${longest / 1_000} s for it` };

  // The lease has already expired, so another runner takes over without a further pause.
  const pauseMs = outcome === 'Silent' ? 0 : waitDelayMs(waited, longest, spread());
  const longer = waited + (outcome === 'Silent' ? leaseMs : pauseMs);
  return {
    pauseMs,
    attempts,
    handed_back,
    waited_ms: isForbidden ? waited_ms : longer,
    forbidden_ms: isForbidden ? longer : forbidden_ms,
  };
}

function longestWaitOf(outcome: EndedClaim['outcome']): number {
  if (outcome === 'Unreachable') return longestWaitMs.away;
  return outcome === 'Forbidden' ? longestWaitMs.forbidden : 0;
}
