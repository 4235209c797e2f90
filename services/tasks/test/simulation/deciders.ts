import { whileRunning } from '../../src/engine/tasks/start-of.ts';
import { afterClaim } from '../../src/engine/tasks/after-claim.ts';
import { supersedable } from '../../src/engine/tasks/superseded.ts';
import { standingOf } from '../../src/engine/tasks/standing-of.ts';
import { remainingOf } from '../../../runner/src/claim/lease-time.ts';
import { fenceStep } from '../../../cluster-sync/src/entering/fence-step.ts';
import { nextAction } from '../../../runner/src/run/next-action.ts';

/** The kinds of rows that transactions lock. */
export type Lock = 'cluster' | 'deployment' | 'held deployment' | 'held with dependents' | 'task';

/** A task that may start next, with the slots that its requester holds. */
export interface Candidate {
  held: number;
  due: number;
  order: number;
}

/** The decisions under test: those of production, one of which a mutation replaces. */
export interface Deciders {
  afterClaim: typeof afterClaim;
  standingOf: typeof standingOf;
  /** Whether a heartbeat belongs to the latest claim. */
  isLatest(row: { fence: number; isStarted: boolean }, fence: number): boolean;
  /** Whether a started task takes one of the slots in all; `works` of the claim's SQL. */
  takesSlot(row: { awaits_readiness: boolean }): boolean;
  /** Which of two tasks starts first; the order of the claim's SQL. */
  startsFirst(a: Candidate, b: Candidate): number;
  remainingOf: typeof remainingOf;
  fenceStep: typeof fenceStep;
  nextAction: typeof nextAction;
  whileRunning: typeof whileRunning;
  supersedable: typeof supersedable;
  locks: Locks;
}

/** The order in which production locks rows, as recorded by `recordLocks`. */
export interface Locks {
  /** The end of a claim with the outcome `Done`, and with any other outcome. */
  finishDone: readonly Lock[];
  finishOther: readonly Lock[];
  cancel: readonly Lock[];
}

export const decidersOf = (locks: Locks): Deciders => ({
  afterClaim,
  standingOf,
  isLatest: (row, fence) => row.isStarted && row.fence === fence,
  takesSlot: ({ awaits_readiness }) => !awaits_readiness,
  startsFirst: (a, b) => a.held - b.held || a.due - b.due || a.order - b.order,
  remainingOf,
  fenceStep,
  nextAction,
  whileRunning,
  supersedable,
  locks,
});
