import { pause } from '@berth/service/waiting/pause';
import type { Queries } from '../database.ts';
import { acquireLease, type Lease, type LeaseRequest, releaseLease, renewLease } from './lease.ts';

export interface HoldOptions extends LeaseRequest {
  heartbeatMs: number;
  /** How long before its end the lease counts as lost, so that work in flight can stop in time. */
  marginMs: number;
  signal: AbortSignal;
}

/** The reason of the abort if the database did not confirm the lease in time; another process may have it now. */
class LeaseRanOut extends Error {
  constructor() {
    super('The lease ran out');
    this.name = 'LeaseRanOut';
  }
}

/**
 * Does the work while holding the lease: renews it, aborts the work if it is lost or uncertain, and releases it at the end.
 * Returns false if another holder has it.
 */
export async function whileHolding(
  db: Queries,
  options: HoldOptions,
  work: (held: AbortSignal, lease: Lease) => Promise<void>,
): Promise<boolean> {
  const first = await acquireLease(db, options);
  if (first === null) return false;

  const over = new AbortController();
  const held = AbortSignal.any([over.signal, options.signal]);
  const heartbeat = keepAlive(db, first, options, over);
  try {
    await work(held, first);
  } finally {
    over.abort();
    await heartbeat;
    // If the database is unavailable, the lease simply expires.
    await releaseLease(db, first).catch(() => undefined);
  }
  return true;
}

/** Does not throw: if the database is unavailable, the lease expires and the work is aborted. */
async function keepAlive(db: Queries, first: Lease, { heartbeatMs, marginMs }: HoldOptions, over: AbortController) {
  let lease = first;
  let deadline = endAt(lease.until - marginMs, over);
  while (!over.signal.aborted) {
    await pause(heartbeatMs, over.signal);
    if (over.signal.aborted) break;

    const renewed = await renewLease(db, lease).catch(() => undefined);
    if (renewed === undefined) continue;
    if (renewed === null) break;
    lease = renewed;
    clearTimeout(deadline);
    deadline = endAt(lease.until - marginMs, over);
  }
  clearTimeout(deadline);
  over.abort();
}

const endAt = (moment: number, over: AbortController): NodeJS.Timeout =>
  setTimeout(() => over.abort(new LeaseRanOut()), Math.max(0, moment - performance.now()));
