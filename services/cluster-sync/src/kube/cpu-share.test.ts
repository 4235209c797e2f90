import { expect, test } from 'vitest';
import { cpuShare } from './cpu-share.ts';

const signal = new AbortController().signal;

function clusterWith(options: { share: number; burstMs: number }) {
  let now = 0;
  const cpu = cpuShare({ ...options, now: () => now });
  return { cpu, take: (ms: number) => cpu.run(() => (now += ms)), wait: (ms: number) => (now += ms) };
}

test('a cluster rests for a turn after some milliseconds of work', async () => {
  const { cpu, take } = clusterWith({ share: 0.5, burstMs: 1_000 });

  take(4);
  expect(cpu.isTired()).toBe(false);
  take(2);
  expect(cpu.isTired()).toBe(true);
  await cpu.rest(signal);
  expect(cpu.isTired()).toBe(false);
});

test('a cluster that has used up its burst rests until its share covers the time', async () => {
  const { cpu, take, wait } = clusterWith({ share: 0.5, burstMs: 100 });
  take(110);
  const began = performance.now();

  await cpu.rest(signal);

  expect(performance.now() - began).toBeGreaterThan(15);
  expect(cpu.isTired()).toBe(true);
  wait(20);
  take(0);
  expect(cpu.isTired()).toBe(false);
});
