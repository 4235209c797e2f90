import type { Bus } from '@berth/bus/bus';
import { type ClaimedTask, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { machineMs } from '@berth/process-guard/machine-clock';
import type { Service } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import { memoryForHelm } from './helm/memory-for-helm.ts';
import { runTask } from './run/run-task.ts';
import type { RunnerDeps } from './run/run-context.ts';

const pollMs = 1_000;

export interface ClaimLoopDeps extends Omit<RunnerDeps, 'stopping'> {
  bus: Pick<Bus, 'call' | 'hints'>;
  log: Service['log'];
  name: string;
  concurrency: number;
}

interface Running {
  fence: number;
  done: Promise<void>;
}

/** Claims tasks while there is capacity, at each hint and at least once a second, and runs them. */
export const claimLoop =
  (deps: ClaimLoopDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    const running = new Map<string, Running>();
    const { wake, wait } = createWakeUp(signal);
    deps.bus.hints.listen('tasks_due', wake, { signal });

    function start({ task, claimedAt }: Claimed): void {
      const { task_id, fence } = task;
      const before = running.get(task_id);
      if (before && before.fence >= fence) return deps.log.warn({ task_id, fence }, 'a claim was answered twice');
      // The same task again, while an earlier run here, which lost its claim, is still ending its Helm.
      const run = async () => {
        await before?.done;
        await runTask(task, claimedAt, { ...deps, stopping: signal });
      };
      const done = run()
        .catch((error: unknown) => deps.log.error({ err: error, task_id }, 'a task ended without an outcome'))
        .finally(() => {
          if (running.get(task_id)?.done === done) running.delete(task_id);
          wake();
        });
      running.set(task_id, { fence, done });
    }

    while (!signal.aborted) {
      const claimed = hasCapacity(running.size, deps.concurrency) ? await claim(deps) : null;
      if (claimed) start(claimed);
      // A task that becomes due after this answer has a hint of its own.
      if (!claimed?.more) await wait(pollMs);
    }
    // Each hands its task back; their number is bounded, and each has a deadline.
    await Promise.all([...running.values()].map(({ done }) => done));
  };

/** Better one task less than a runner that the kernel kills for lack of memory. */
const hasCapacity = (running: number, concurrency: number): boolean =>
  running < concurrency && (running === 0 || process.availableMemory() > memoryForHelm);

interface Claimed {
  task: ClaimedTask;
  claimedAt: number;
  more: boolean;
}

async function claim({ bus, name, log }: ClaimLoopDeps): Promise<Claimed | null> {
  const claimedAt = machineMs();
  try {
    const { task, more = true } = await bus.call(runnerTasks.operations.claim, { body: { runner: name } });
    return task && { task, claimedAt, more };
  } catch (error) {
    // Nothing is lost: a task that was claimed by a lost answer is taken over when its lease expires.
    log.debug({ err: error }, 'no task was claimed');
    return null;
  }
}
