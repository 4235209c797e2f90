import { beforeEach, expect, test } from 'vitest';
import { type DelayMonitor, type Overload, watchOverload } from './overload.ts';

/** Delays in ms since the last reset, recorded while the monitor is enabled. */
let delays: number[];
let isOn: boolean;
let clock: number;
let overload: Overload;

const monitor: DelayMonitor = {
  enable: () => (isOn = true),
  disable: () => (isOn = false),
  reset: () => void (delays = []),
  percentile: (percent) => {
    const sorted = delays.toSorted((a, b) => a - b);
    return (sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0) * 1e6;
  },
};

/** Simulates turns of the event loop, each with its delay. */
function turns(...late: number[]): void {
  for (const ms of late) {
    clock += ms;
    if (isOn) delays.push(ms + 20);
  }
}

beforeEach(() => {
  [delays, isOn, clock] = [[], false, 0];
  overload = watchOverload({ monitor, now: () => clock });
});

test('delays before the server listens are not an overload', () => {
  turns(900, 900, 900);
  overload.begin();
  turns(5, 5);

  expect(overload.isOverloaded()).toBe(false);
  turns(...Array<number>(300).fill(5));
  expect(overload.isOverloaded()).toBe(false);
});

test('a median delay above 200 ms is an overload until the median of a second is lower', () => {
  overload.begin();

  turns(300, 300, 300, 300);
  expect(overload.isOverloaded()).toBe(true);
  turns(5, 5, 5);
  expect(overload.isOverloaded()).toBe(true);
  turns(...Array<number>(300).fill(5));
  expect(overload.isOverloaded()).toBe(false);
});

test('a single long pause is not an overload', () => {
  overload.begin();

  turns(5, 5, 10_000, 5, 5);
  expect(overload.isOverloaded()).toBe(false);
});
