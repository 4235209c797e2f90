import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { unwrap, waitForTask, waitUntil } from '@berth/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helmProcesses, watchHelm } from '../setup/helm-processes.ts';
import { type Platform, startPlatform } from '../setup/platform.ts';
import { deploySlowly, releaseStatuses } from '../setup/slow-deployment.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ overrides: { tasks: { TASK_LEASE_SECONDS: '12' } } });
});
afterAll(() => platform[Symbol.asyncDispose]());

/** A lease of 12 s, plus time to notice its end and claim the task on a busy machine. */
const takenOverWithinMs = 90_000;

test('Helm is killed together with its runner, and the next runner takes the task over', async () => {
  const { stack, admin } = platform;
  const slow = await deploySlowly(stack, admin, await platform.sample('kill'), 'killed');
  await using helm = watchHelm(slow.namespace);

  await stack.part('runner').kill();
  await waitUntil(async () => helmProcesses(slow.namespace).length === 0, {
    what: 'Helm to exit',
    withinMs: 25_000,
  });
  await stack.part('runner').start();
  await waitUntil(async () => (await slow.task()).attempts === 2, {
    what: 'the task to be taken over',
    withinMs: takenOverWithinMs,
  });
  await slow.release();
  const done = await waitForTask(admin, slow.taskId, { withinMs: 60_000 });

  expect(done).toMatchObject({ status: 'Done', attempts: 2 });
  expect(await releaseStatuses(stack, slow.namespace)).toEqual(['superseded', 'deployed']);
  expect(helm.most()).toBe(1);
});

test('a release left pending when the runner and Helm are killed is repaired, and its task finishes', async () => {
  const { stack, admin } = platform;
  const slow = await deploySlowly(stack, admin, await platform.sample('kill'), 'lost-machine');
  const [helm] = helmProcesses(slow.namespace);

  const runnerKilled = stack.part('runner').kill();
  process.kill(-(helm ?? 0), 'SIGKILL');
  await runnerKilled;
  expect(await releaseStatuses(stack, slow.namespace)).toEqual(['pending-install']);
  await stack.part('runner').start();
  await waitUntil(async () => (await slow.task()).attempts === 2, {
    what: 'the task to be taken over',
    withinMs: takenOverWithinMs,
  });
  await slow.release();
  await waitForTask(admin, slow.taskId, { withinMs: 60_000 });

  expect(await slow.task()).toMatchObject({ status: 'Done', attempts: 2 });
  expect(await releaseStatuses(stack, slow.namespace)).toEqual(['superseded', 'deployed']);
});

test('a runner that is paused beyond its lease writes nothing, and its Helm has ended before another one starts', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('kill');
  const slow = await deploySlowly(stack, admin, sample, 'paused');
  await using helm = watchHelm(slow.namespace);
  const paused = stack.part('runner').pid;
  const log = join(stack.stateFolder, 'services', 'runner.log');
  const [firstHelm] = helmProcesses(slow.namespace);

  process.kill(paused, 'SIGSTOP');
  const second = await stack.addRunner('second-runner');
  try {
    await waitUntil(async () => (await slow.task()).attempts === 2, {
      what: 'the task to be taken over',
      withinMs: takenOverWithinMs,
    });
    await waitUntil(async () => helmProcesses(slow.namespace).length === 1, {
      what: 'the second Helm',
      withinMs: 60_000,
    });
    expect(helmProcesses(slow.namespace)).not.toContain(firstHelm);

    process.kill(paused, 'SIGCONT');
    await waitUntil(async () => (await readFile(log, 'utf8')).includes('claim lost'), {
      what: 'the first runner to notice it',
      withinMs: 30_000,
    });
    // Anything that it still writes follows at once.
    await delay(1_000);
    expect(await slow.task()).toMatchObject({ status: 'Started', attempts: 2 });
    expect(helmProcesses(slow.namespace)).toHaveLength(1);

    await slow.release();
    await waitForTask(admin, slow.taskId, { withinMs: 60_000 });
    expect(await slow.task()).toMatchObject({ status: 'Done', attempts: 2 });
    expect(await releaseStatuses(stack, slow.namespace)).toEqual(['superseded', 'deployed']);
    expect(helm.most()).toBe(1);
  } finally {
    process.kill(paused, 'SIGCONT');
    await second.stop();
  }
});

test('canceling a started task ends its Helm, and the next task can continue from the release that is left', async () => {
  const { stack, admin } = platform;
  const slow = await deploySlowly(stack, admin, await platform.sample('kill'), 'canceled');

  unwrap(await admin.deploymentTasks.cancel({ id: slow.taskId, body: { reason: 'not now' } }));
  await waitForTask(admin, slow.taskId, { withinMs: 60_000 });

  expect(await slow.task()).toMatchObject({ status: 'Canceled', reason: 'not now' });
  expect(helmProcesses(slow.namespace)).toEqual([]);
  expect(await releaseStatuses(stack, slow.namespace)).toEqual(['failed']);
});
