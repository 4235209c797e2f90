import { pause } from '@berth/service/waiting/pause';
import type { Queries } from '../database.ts';
import { acquireLease, type Lease, type LeaseRequest, releaseLease, renewLease } from './lease.ts';

export interface HoldOptions extends LeaseRequest {
  heartbeatMs: number;
  /** How long before its end the lease counts as lost, so that work in flight can still end in time. */
  marginMs: number;
  signal: AbortSignal;
}

/** The reason of the abort where the database did not confirm the lease in time; another process may have it now. */
class LeaseRanOut extends Error {
  constructor() {
    super('The lease ran out');
    this.name = 'LeaseRanOut';
  }
}

/**
 * Does the work while the lease is held: renews it, aborts the work's signal when it is lost or in doubt, and gives it
 * back at the end. Returns false when another holder has it.
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
    // Without the database the lease expires by itself.
    await releaseLease(db, first).catch(() => undefined);
  }
  return true;
}

/** Never throws: without a database the lease expires, which aborts the work. */
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
