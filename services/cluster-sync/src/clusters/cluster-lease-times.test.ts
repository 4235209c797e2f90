import { expect, test } from 'vitest';
import { clusterLeaseTimes, shareTimes } from './cluster-lease-times.ts';

const { ttlMs, heartbeatMs, marginMs, retryMs } = clusterLeaseTimes;

test('another replica acquires the clusters of a lost one early enough to list them within 35 s', () => {
  expect(ttlMs + retryMs).toBeLessThanOrEqual(30_000);
});

test('a lost replica stops counting when the leases of its clusters end, so that others take these clusters', () => {
  expect(shareTimes.ttlMs + 2 * shareTimes.heartbeatMs).toBeLessThan(ttlMs);
});

test('a replica keeps its clusters when one renewal of their lease fails', () => {
  expect(2 * heartbeatMs).toBeLessThan(ttlMs - marginMs);
});
