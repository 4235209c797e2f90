/**
 * Another replica watches the clusters of a lost one within 35 s: the lease ends, the next attempt acquires it, and 6 s are
 * left to connect and list. A replica that cannot renew stops `marginMs` before its lease ends, so that its last writes end
 * in time.
 */
export const clusterLeaseTimes = { ttlMs: 24_000, heartbeatMs: 6_000, marginMs: 8_000, retryMs: 5_000 };

/** A lost replica stops to count before the leases of its clusters end, so that the others take them at once. */
export const shareTimes = { newMs: 60_000, ttlMs: 15_000, heartbeatMs: 3_000 };
