import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { machineMs } from './machine-clock.ts';

test.skipIf(process.platform !== 'linux')('the clock of the machine includes time in which it was suspended', () => {
  // The kernel derives /proc/uptime from CLOCK_BOOTTIME.
  const uptimeMs = () => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000;
  const before = uptimeMs();

  const now = machineMs();

  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(uptimeMs());
});

test('the clock of the machine never runs backwards', () => {
  const read = Array.from({ length: 1_000 }, machineMs);

  expect(read.toSorted((a, b) => a - b)).toEqual(read);
});
