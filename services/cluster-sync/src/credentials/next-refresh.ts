import { hash } from 'node:crypto';

export interface Refresh {
  readonly deploymentId: string;
  /** Of the token that was issued now. */
  readonly lifetimeMs: number;
  /** Any clock whose zero all replicas share. */
  readonly nowMs: number;
  /** From 0 to 1. */
  readonly random: number;
}

const usualMs = 20 * 60_000;
/** A turn that comes sooner than this share of a period is left out. */
const tooSoon = 0.1;
const jitter = 0.05;

/**
 * When the credentials of a deployment are refreshed next, from now. Each deployment has its own moment within a period,
 * by its id: thousands that were written at once, such as after an outage, spread over the whole period by themselves.
 */
export function nextRefreshMs({ deploymentId, lifetimeMs, nowMs, random }: Refresh): number {
  // Two turns may fail before a token expires, however short its life is.
  const period = Math.min(usualMs, lifetimeMs / 3);
  const sinceTurn = (nowMs - momentOf(deploymentId) * period) % period;
  const untilTurn = (period - sinceTurn) % period;
  const inMs = untilTurn < tooSoon * period ? untilTurn + period : untilTurn;
  return Math.round(inMs + (random * 2 - 1) * jitter * period);
}

/** From 0 to 1, the same in every replica. */
const momentOf = (deploymentId: string): number =>
  Number.parseInt(hash('sha256', deploymentId, 'hex').slice(0, 8), 16) / 2 ** 32;
