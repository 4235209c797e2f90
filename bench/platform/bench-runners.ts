import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@berth/devstack';
import type { Bus } from '@berth/bus/bus';
import { connectBus } from '@berth/bus/connect-bus';
import { type ClaimedTask, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { createLog } from '@berth/service/logging/create-log';
import { createWakeUp } from '@berth/service/waiting/wake-up';

/** A connection like that of a runner. */
export const runnerBus = (stack: Stack) =>
  connectBus({
    servers: [stack.nats.url],
    caller: 'runner',
    password: stack.nats.passwords.runner,
    log: createLog('bench', { level: 'silent' }),
  });

const { claim, finish, heartbeat } = runnerTasks.operations;
const patiently = { deadlineMs: 30_000 };
const pollMs = 1_000;

interface BenchRunner {
  bus: Pick<Bus, 'call' | 'hints'>;
  /** The number of tasks that it runs at the same time. */
  slots: number;
  signal: AbortSignal;
  claimed: (task: ClaimedTask, tookMs: number) => void;
}

/** Claims like a runner with free slots, but ends each task at once without running Helm. */
export async function benchRunner({ bus, slots, signal, claimed }: BenchRunner): Promise<void> {
  const running = new Set<Promise<void>>();
  const { wake, wait } = createWakeUp(signal);
  bus.hints.listen('tasks_due', wake, { signal });

  async function claimOne(): Promise<ClaimedTask | null> {
    const began = performance.now();
    const { task } = await bus.call(claim, { body: { runner: 'bench' } }, patiently);
    if (task) claimed(task, performance.now() - began);
    return task;
  }

  while (!signal.aborted) {
    // An overloaded service refuses, and the request is repeated, as by the runner.
    const task = running.size < slots ? await claimOne().catch(() => delay(100, null)) : null;
    if (!task) {
      await wait(pollMs);
      continue;
    }
    const done = runAtOnce(bus, task).finally(() => {
      running.delete(done);
      wake();
    });
    running.add(done);
  }
  await Promise.all(running);
}

/** Counts the attempt and ends it at once, with the calls of a runner. It fails, so that no other task follows. */
async function runAtOnce(bus: Pick<Bus, 'call'>, { task_id, fence }: ClaimedTask): Promise<void> {
  await bus.call(heartbeat, { body: { task_id, fence, helm_begins: true } }, patiently);
  await bus.call(finish, { body: { task_id, fence, outcome: 'Failed', reason: 'bench' } }, patiently);
}
