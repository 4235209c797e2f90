import { expect, test } from 'vitest';
import { chargeTime } from './charge-usage.ts';
import { timedBodyBytes } from './cost.ts';

const usageOf = (bodyBytes: number) => ({ usage: { bodyBytes, answerBytes: 0, cpuMs: 0 } });

/** Blocks this thread without using the processor, as a machine does that is paused or runs other processes. */
const pauseMs = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const computeMs = (ms: number) => {
  const before = process.threadCpuUsage();
  for (let spent = 0; spent < ms * 1_000; ) {
    const { user, system } = process.threadCpuUsage(before);
    spent = user + system;
  }
};

test('time in which the machine did not run the process is not charged', () => {
  const request = usageOf(timedBodyBytes + 1);

  chargeTime(request, () => pauseMs(300));

  expect(request.usage.cpuMs).toBeLessThan(100);
});

test('the processor time of a body is charged, even if it is refused', () => {
  const request = usageOf(timedBodyBytes + 1);

  const work = () => {
    computeMs(20);
    throw new Error('not valid');
  };

  expect(() => chargeTime(request, work)).toThrow('not valid');
  expect(request.usage.cpuMs).toBeGreaterThanOrEqual(20);
});

test('the time of a small body is not charged', () => {
  const request = usageOf(timedBodyBytes);

  chargeTime(request, () => computeMs(5));

  expect(request.usage.cpuMs).toBe(0);
});
