import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Registry } from 'prom-client';
import { expect, test, vi } from 'vitest';
import { observeEventLoopDelay } from './event-loop-delay.ts';

const computedMs = 200;

/**
 * Waits for its turn, then computes until its own thread has used that much CPU time, however busy the machine is, and passes the
 * turn back.
 */
const computing = `
  const turn = require('node:worker_threads').workerData;
  Atomics.wait(turn, 0, 0);
  const before = process.threadCpuUsage();
  const spentMs = () => { const { user, system } = process.threadCpuUsage(before); return (user + system) / 1000; };
  while (spentMs() < ${computedMs});
  Atomics.store(turn, 0, 2);
  Atomics.notify(turn, 0);
`;

test('a loop that waits while another thread computes has a delay, but has not computed itself', async () => {
  const registry = new Registry();
  const turn = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(computing, { eval: true, workerData: turn });
  await once(worker, 'online');
  using _observed = observeEventLoopDelay(registry);

  Atomics.store(turn, 0, 1);
  Atomics.notify(turn, 0);
  Atomics.wait(turn, 0, 1, 20_000);

  expect(turn[0]).toBe(2);
  const late = async () => expect(await secondsIn(registry, 'delay')).toBeGreaterThan(computedMs / 2000);
  await vi.waitFor(late);
  expect(await secondsIn(registry, 'own_delay')).toBeLessThan(computedMs / 2000);
  await worker.terminate();
});

async function secondsIn(registry: Registry, name: 'delay' | 'own_delay'): Promise<number> {
  const [, sum] = new RegExp(`^berth_event_loop_${name}_seconds_sum (\\S+)`, 'm').exec(await registry.metrics()) ?? [];
  return Number(sum);
}
