import { beforeEach, expect, test } from 'vitest';
import { type DelayMonitor, type Overload, watchOverload } from './overload.ts';

/** Delays in ms since the last reset, as node records them while it is enabled. */
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

/** The loop turns, each time so late. */
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

test('how long the loop was held up before the server listens does not count', () => {
  turns(900, 900, 900);
  overload.begin();
  turns(5, 5);

  expect(overload.isOverloaded()).toBe(false);
  turns(...Array<number>(300).fill(5));
  expect(overload.isOverloaded()).toBe(false);
});

test('half of its turns 200 ms late is too late, until a second shows better', () => {
  overload.begin();

  turns(300, 300, 300, 300);
  expect(overload.isOverloaded()).toBe(true);
  turns(5, 5, 5);
  expect(overload.isOverloaded()).toBe(true);
  turns(...Array<number>(300).fill(5));
  expect(overload.isOverloaded()).toBe(false);
});

test('one long pause is over already', () => {
  overload.begin();

  turns(5, 5, 10_000, 5, 5);
  expect(overload.isOverloaded()).toBe(false);
});
