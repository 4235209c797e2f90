import { afterAll, expect, test } from 'vitest';
import { createUntrustedWork } from '../src/untrusted-work.ts';
import type { HostileJobs } from './hostile-jobs-main.ts';

const work = createUntrustedWork<HostileJobs>({
  entry: new URL('./hostile-jobs-main.ts', import.meta.url),
  heapMb: 32,
});
afterAll(() => work[Symbol.asyncDispose]());

const { signal } = new AbortController();
const mine = { owner: 'mine', signal };

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a job runs in another process, which has no environment variables and is reused', async () => {
  const pid = await work.run('pid', undefined, mine);

  expect(pid).not.toBe(process.pid);
  expect(await work.run('double', 21, mine)).toBe(42);
  expect(await work.run('pid', undefined, mine)).toBe(pid);
  expect(await work.run('environment', undefined, mine)).not.toContain('PATH');
});

test.for(['arrays', 'map'] as const)('data that fills the heap ends only the process of the job: %s', async (job) => {
  const before = await work.run('pid', undefined, mine);

  await expect(work.run(job, 2_000_000, { ...mine, withinMs: 60_000 })).rejects.toMatchObject({
    refusal: 'too large',
  });
  expect(isAlive(before)).toBe(false);
  expect(await work.run('double', 1, mine)).toBe(2);
});

test('an answer that is expensive to read is not sent', async () => {
  const refused = work.run('manyArrays', 400_000, mine);

  await expect(refused).rejects.toMatchObject({ refusal: 'too large' });
});

test('a job that does not end is killed at its deadline, while another owner is served', async () => {
  const spinning = work.run('spin', undefined, { ...mine, withinMs: 1_500, starvedAfterMs: 60_000 });
  const waiting = work.run('double', 2, mine);
  const order: string[] = [];
  const others = work.run('double', 3, { owner: 'another', signal }).then(() => order.push('another'));
  const refused = spinning.catch((error: unknown) => {
    order.push('spinning');
    return error;
  });

  expect(await refused).toMatchObject({ refusal: 'too slow' });
  expect([await waiting, await others]).toEqual([4, 1]);
  expect(order).toEqual(['another', 'spinning']);
});

test('a job that the machine does not run in time, or whose process is killed, may be tried again', async () => {
  const stopped = await work.run('pid', undefined, mine);
  process.kill(stopped, 'SIGSTOP');
  await expect(work.run('double', 2, { ...mine, withinMs: 100 })).rejects.toMatchObject({ refusal: 'busy' });
  expect(isAlive(stopped)).toBe(false);

  const killed = await work.run('pid', undefined, mine);
  const spinning = work.run('spin', undefined, { ...mine, withinMs: 60_000 });
  process.kill(killed, 'SIGKILL');
  await expect(spinning).rejects.toMatchObject({ refusal: 'busy' });
});

test('an aborted job frees its slot even if its process is still starting', async () => {
  await using unready = createUntrustedWork<HostileJobs>({
    entry: new URL('./never-ready-main.ts', import.meta.url),
    slots: 1,
  });

  await expect(unready.run('double', 1, { ...mine, signal: AbortSignal.timeout(300) })).rejects.toThrow(/timeout/);
  await expect(unready.run('double', 1, { ...mine, signal: AbortSignal.timeout(300) })).rejects.toThrow(/timeout/);
});

test.runIf(process.platform === 'linux')(
  'the kernel ends a process at its limit of processor time, even without its parent; a worn process is replaced before',
  async () => {
    await using work = createUntrustedWork<HostileJobs>({
      entry: new URL('./hostile-jobs-main.ts', import.meta.url),
      cpuSecs: 2,
    });
    const first = await work.run('pid', undefined, mine);
    await work.run('spinFor', 1_100, mine);
    const second = await work.run('pid', undefined, mine);
    expect(second).not.toBe(first);

    // Without a deadline, as after the death of the parent.
    await expect(work.run('spin', undefined, { ...mine, withinMs: 600_000 })).rejects.toMatchObject({
      refusal: 'busy',
    });
    expect(isAlive(second)).toBe(false);
  },
);

test('an owner whose queue is full is refused, and others are not', async () => {
  const stop = new AbortController();
  const its = { owner: 'greedy', signal: stop.signal };
  const greedy = Array.from({ length: 12 }, () => work.run('spin', undefined, its).catch((error: unknown) => error));

  expect(await greedy[11]).toMatchObject({ refusal: 'busy' });
  expect(await work.run('double', 4, mine)).toBe(8);
  stop.abort(new Error('no longer wanted'));
  expect((await Promise.all(greedy)).filter((error) => String(error) === 'Error: no longer wanted')).toHaveLength(9);
});

test('a bug in a job is not reported as refused work, and the process stays in use', async () => {
  const pid = await work.run('pid', undefined, mine);

  await expect(work.run('fail', undefined, mine)).rejects.toThrow(/failed: TypeError: no such thing/);
  expect(await work.run('pid', undefined, mine)).toBe(pid);
});

test('stopping ends the processes and refuses further jobs', async () => {
  const stopped = createUntrustedWork<HostileJobs>({ entry: new URL('./hostile-jobs-main.ts', import.meta.url) });
  const pid = await stopped.run('pid', undefined, mine);
  const spinning = stopped.run('spin', undefined, mine).catch((error: unknown) => String(error));
  await stopped[Symbol.asyncDispose]();

  expect(await spinning).toMatch(/were stopped/);
  expect(isAlive(pid)).toBe(false);
  await expect(stopped.run('double', 1, mine)).rejects.toThrow(/were stopped/);
});

test('a module that does not start fails at once, as a bug', async () => {
  await using broken = createUntrustedWork<HostileJobs>({ entry: new URL('./no-such-main.ts', import.meta.url) });

  await expect(broken.run('double', 1, mine)).rejects.toThrow(/did not start/);
});
