import { expect, test } from 'vitest';
import { heartbeatPause, remainingOf, renewedUntil, safeUntil } from './lease-time.ts';

const leaseMs = 30_000;

test('a claim is given up ten seconds before others may take it', () => {
  expect(safeUntil(1_000, leaseMs)).toBe(21_000);
});

test('an answer that arrives after a newer one does not shorten the claim', () => {
  expect(renewedUntil(safeUntil(9_000, leaseMs), 4_000, leaseMs)).toBe(29_000);
});

test('a claim past its deadline has no time left', () => {
  expect(remainingOf(21_000, 60_000)).toBe(0);
});

test.for<[string, number, boolean | null, number]>([
  ['soon after the claim', leaseMs, null, 1_000],
  ['every five seconds', leaseMs, true, 5_000],
  ['soon after one that failed', leaseMs, false, 1_000],
  ['six times in a short lease', 3_000, true, 500],
])('heartbeats come %s', ([, lease, renewed, expected]) => {
  expect(heartbeatPause(lease, renewed)).toBe(expected);
});
