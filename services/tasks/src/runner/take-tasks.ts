import type { Bus } from '@berth/shared/bus/bus';
import { runnerTasks } from '@berth/shared/contracts/runner-tasks';
import type { Service } from '@berth/shared/service/service';
import { createWakeUp } from '@berth/shared/service/wake-up';
import { type RunTaskDeps, runTask } from './run-task.ts';

const pollMs = 1_000;

export interface TakeTasksDeps extends Omit<RunTaskDeps, 'stopping'> {
  bus: Pick<Bus, 'call' | 'hints'>;
  log: Service['log'];
  name: string;
  concurrency: number;
}

/** Claims tasks while there is a free place for them: at a hint at once, and each second in any case. */
export const takeTasks =
  (deps: TakeTasksDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    const running = new Set<Promise<void>>();
    const { wake, wait } = createWakeUp(signal);
    deps.bus.hints.listen('tasks_due', wake, { signal });

    while (!signal.aborted) {
      const full = running.size >= deps.concurrency;
      const claimed = full ? null : await claim(deps);
      if (claimed) {
        const run = runTask(claimed.task, claimed.at, { ...deps, stopping: signal }).finally(() => {
          running.delete(run);
          wake();
        });
        running.add(run);
        continue;
      }
      await wait(pollMs);
    }
    // Each of them hands its task back; their number is bounded and each has its own deadline.
    await Promise.all(running);
  };

async function claim({ bus, name, log }: TakeTasksDeps) {
  const at = performance.now();
  try {
    const { task } = await bus.call(runnerTasks.operations.claim, { body: { runner: name } });
    return task && { task, at };
  } catch (error) {
    // Nothing is lost: what was claimed by an answer that never came is taken over when its lease is out.
    log.debug({ err: error }, 'no claim this time');
    return null;
  }
}
