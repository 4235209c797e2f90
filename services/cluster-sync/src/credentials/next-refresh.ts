import { hash } from 'node:crypto';

export interface Refresh {
  readonly deploymentId: string;
  /** The lifetime of the token that was just issued. */
  readonly lifetimeMs: number;
  /** From a clock that all replicas share. */
  readonly nowMs: number;
  /** From 0 to 1. */
  readonly random: number;
}

const usualMs = 20 * 60_000;
/** A moment that comes sooner than this share of a period is skipped. */
const tooSoon = 0.1;
const jitter = 0.05;

/**
 * How long until the next refresh. The id of a deployment gives it a fixed moment within the period, so thousands of
 * credentials that were written at once, such as after an outage, spread over the whole period.
 */
export function nextRefreshMs({ deploymentId, lifetimeMs, nowMs, random }: Refresh): number {
  // A third of the lifetime: two refreshes may fail before the token expires.
  const period = Math.min(usualMs, lifetimeMs / 3);
  const sinceTurn = (nowMs - momentOf(deploymentId) * period) % period;
  const untilTurn = (period - sinceTurn) % period;
  const inMs = untilTurn < tooSoon * period ? untilTurn + period : untilTurn;
  return Math.round(inMs + (random * 2 - 1) * jitter * period);
}

/** From 0 to 1, the same in every replica. */
const momentOf = (deploymentId: string): number =>
  Number.parseInt(hash('sha256', deploymentId, 'hex').slice(0, 8), 16) / 2 ** 32;
