import { expect, test } from 'vitest';
import { clusterLeaseTimes } from './cluster-lease-times.ts';

const { ttlMs, heartbeatMs, marginMs, retryMs } = clusterLeaseTimes;

test('the clusters of a lost replica are acquired by another one with time left of 35 s to list them', () => {
  expect(ttlMs + retryMs).toBeLessThanOrEqual(30_000);
});

test('a replica keeps its clusters when one renewal of their lease fails', () => {
  expect(2 * heartbeatMs).toBeLessThan(ttlMs - marginMs);
});
