import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { nextRefreshMs } from './next-refresh.ts';

const minute = 60_000;
const hour = 60 * minute;
const ids = Array.from({ length: 10_000 }, () => randomUUID());

test('10,000 credentials that are written at once are refreshed evenly over the next 20 minutes', () => {
  const perMinute = new Map<number, number>();
  for (const deploymentId of ids) {
    const inMs = nextRefreshMs({ deploymentId, lifetimeMs: hour, nowMs: 1_234_567_890, random: Math.random() });
    const bin = Math.floor(inMs / minute);
    perMinute.set(bin, (perMinute.get(bin) ?? 0) + 1);
  }

  // The mean is 500. A moment within the first two minutes is skipped as too soon.
  for (let bin = 3; bin < 19; bin += 1) expect(perMinute.get(bin), `minute ${bin}`).toBeGreaterThan(400);
  expect(Math.max(...perMinute.values())).toBeLessThan(600);
});

test.for([
  ['a usual token', hour, 20 * minute],
  ['a short token', 6 * minute, 2 * minute],
] as const)('%s is refreshed within one period and its jitter', ([, lifetimeMs, period]) => {
  for (const deploymentId of ids.slice(0, 2_000)) {
    for (const random of [0, 1]) {
      const inMs = nextRefreshMs({ deploymentId, lifetimeMs, nowMs: Math.random() * 1e12, random });
      expect(inMs).toBeGreaterThanOrEqual(0.04 * period);
      expect(inMs).toBeLessThanOrEqual(1.16 * period);
    }
  }
});

test('a deployment keeps its moment within the period from one refresh to the next', () => {
  const [deploymentId = ''] = ids;
  const first = nextRefreshMs({ deploymentId, lifetimeMs: hour, nowMs: 5e11, random: 0.5 });
  const second = nextRefreshMs({ deploymentId, lifetimeMs: hour, nowMs: 5e11 + first, random: 0.5 });

  expect(second).toBe(20 * minute);
});
