import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@berth/devstack/journey/wait-for';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { helmProcesses, watchHelm } from '../setup/helm-processes.ts';
import { type Platform, startPlatform } from '../setup/platform.ts';
import { deploySlowly, releaseStatuses } from '../setup/slow-deployment.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform[Symbol.asyncDispose]());

const signal = () => AbortSignal.timeout(200_000);

test('a runner that is killed while Helm runs takes Helm with it, and another one brings the task to its end', async () => {
  const { stack, admin } = platform;
  const slow = await deploySlowly(stack, admin, await platform.sample('kill'), 'killed');
  await using helm = watchHelm(slow.namespace);

  await stack.part('runner').kill();
  await waitFor('Helm to be gone', async () => (await helmProcesses(slow.namespace)).length === 0, {
    withinMs: 10_000,
    signal: signal(),
  });
  await stack.part('runner').start();
  await waitFor('the task to be taken over', async () => (await slow.task()).attempts === 2, {
    withinMs: 60_000,
    signal: signal(),
  });
  await slow.release();
  const done = await waitFor(
    'the task to end',
    async () => {
      const task = await slow.task();
      return task.finished_at === null ? null : task;
    },
    { withinMs: 60_000, signal: signal() },
  );

  expect(done).toMatchObject({ status: 'Done', attempts: 2 });
  expect(await releaseStatuses(stack, slow.namespace)).toEqual(['superseded', 'deployed']);
  expect(helm.most()).toBe(1);
});

test('when runner and Helm die at once the release they leave pending is repaired and the task comes to its end', async () => {
  const { stack, admin } = platform;
  const slow = await deploySlowly(stack, admin, await platform.sample('kill'), 'lost-machine');
  const [helm] = await helmProcesses(slow.namespace);

  const runnerIsDead = stack.part('runner').kill();
  process.kill(-(helm ?? 0), 'SIGKILL');
  await runnerIsDead;
  expect(await releaseStatuses(stack, slow.namespace)).toEqual(['pending-install']);
  await stack.part('runner').start();
  await waitFor('the task to be taken over', async () => (await slow.task()).attempts === 2, {
    withinMs: 60_000,
    signal: signal(),
  });
  await slow.release();
  await waitFor('the task to end', async () => (await slow.task()).finished_at !== null, {
    withinMs: 60_000,
    signal: signal(),
  });

  expect(await slow.task()).toMatchObject({ status: 'Done', attempts: 2 });
  expect(await releaseStatuses(stack, slow.namespace)).toEqual(['superseded', 'deployed']);
});

test('a runner that was paused until its lease was gone writes nothing any more, and its Helm is dead before another starts', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('kill');
  const slow = await deploySlowly(stack, admin, sample, 'paused');
  await using helm = watchHelm(slow.namespace);
  const paused = stack.part('runner').pid;
  const [firstHelm] = await helmProcesses(slow.namespace);

  process.kill(paused, 'SIGSTOP');
  const second = await stack.addRunner('second-runner');
  try {
    await waitFor('the task to be taken over', async () => (await slow.task()).attempts === 2, {
      withinMs: 60_000,
      signal: signal(),
    });
    await waitFor('the second Helm', async () => (await helmProcesses(slow.namespace)).length === 1, {
      withinMs: 20_000,
      signal: signal(),
    });
    expect(await helmProcesses(slow.namespace)).not.toContain(firstHelm);

    process.kill(paused, 'SIGCONT');
    await delay(8_000);
    expect(await slow.task()).toMatchObject({ status: 'Started', attempts: 2 });
    expect(await helmProcesses(slow.namespace)).toHaveLength(1);

    await slow.release();
    await waitFor('the task to end', async () => (await slow.task()).finished_at !== null, {
      withinMs: 60_000,
      signal: signal(),
    });
    expect(await slow.task()).toMatchObject({ status: 'Done', attempts: 2 });
    expect(helm.most()).toBe(1);
  } finally {
    process.kill(paused, 'SIGCONT');
    await second.stop();
  }
});

test('canceling a started task ends its Helm and leaves a release from which the next task goes on', async () => {
  const { stack, admin } = platform;
  const slow = await deploySlowly(stack, admin, await platform.sample('kill'), 'canceled');

  await admin.send('DELETE', `/deployment-tasks/${slow.taskId}`, { reason: 'not now' }, z.unknown());
  await waitFor('the task to end', async () => (await slow.task()).finished_at !== null, {
    withinMs: 20_000,
    signal: signal(),
  });

  expect(await slow.task()).toMatchObject({ status: 'Canceled', reason: 'not now' });
  expect(await helmProcesses(slow.namespace)).toEqual([]);
  expect(await releaseStatuses(stack, slow.namespace)).toEqual(['failed']);
});
