/**
 * Another replica watches the clusters of a lost one 35 s later at most: the lease ends, the next attempt acquires it, and
 * 6 s are left to connect and list. A replica that cannot renew stops `marginMs` before the end, so that its writes in
 * flight end in time.
 */
export const clusterLeaseTimes = { ttlMs: 24_000, heartbeatMs: 6_000, marginMs: 8_000, retryMs: 5_000 };
