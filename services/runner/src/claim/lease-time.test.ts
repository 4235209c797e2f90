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

test.for<[string, number, Parameters<typeof heartbeatPause>[1], number]>([
  ['soon after the claim', leaseMs, { renewed: null, awaits: false }, 1_000],
  ['every five seconds', leaseMs, { renewed: true, awaits: false }, 5_000],
  ['every ten seconds while readiness is awaited', leaseMs, { renewed: true, awaits: true }, 10_000],
  ['soon after one that failed', leaseMs, { renewed: false, awaits: false }, 1_000],
  ['soon after one that failed while readiness is awaited', leaseMs, { renewed: false, awaits: true }, 1_000],
  ['six times in a short lease', 3_000, { renewed: true, awaits: false }, 500],
])('heartbeats come %s', ([, lease, last, expected]) => {
  expect(heartbeatPause(lease, last)).toBe(expected);
});
