import type { Bus } from '@berth/shared/bus/bus';
import { type ClaimedTask, runnerTasks } from '@berth/shared/contracts/resources/runner-tasks';
import { machineMs } from '@berth/process-guard/machine-clock';
import type { Service } from '@berth/shared/service/service';
import { createWakeUp } from '@berth/shared/waiting/wake-up';
import { memoryForHelm } from './helm/memory-for-helm.ts';
import { type RunTaskDeps, runTask } from './run/run-task.ts';

const pollMs = 1_000;

export interface ClaimTasksDeps extends Omit<RunTaskDeps, 'stopping'> {
  bus: Pick<Bus, 'call' | 'hints'>;
  log: Service['log'];
  name: string;
  concurrency: number;
}

interface Running {
  fence: number;
  done: Promise<void>;
}

/** Claims tasks while there is a free place for them: at a hint at once, and each second in any case. */
export const claimTasks =
  (deps: ClaimTasksDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    const running = new Map<string, Running>();
    const { wake, wait } = createWakeUp(signal);
    deps.bus.hints.listen('tasks_due', wake, { signal });

    function start({ task, at }: Claimed): void {
      const { task_id, fence } = task;
      const before = running.get(task_id);
      if (before && before.fence >= fence) return deps.log.warn({ task_id, fence }, 'a claim was answered twice');
      // Claimed anew while our own earlier run, which lost its claim, is still ending its Helm.
      const run = async () => {
        await before?.done;
        await runTask(task, at, { ...deps, stopping: signal });
      };
      const done = run()
        .catch((error: unknown) => deps.log.error({ err: error, task_id }, 'a task was left without an end'))
        .finally(() => {
          if (running.get(task_id)?.done === done) running.delete(task_id);
          wake();
        });
      running.set(task_id, { fence, done });
    }

    while (!signal.aborted) {
      const claimed = hasPlace(running.size, deps.concurrency) ? await claim(deps) : null;
      if (claimed) start(claimed);
      else await wait(pollMs);
    }
    // Each of them hands its task back; their number is bounded and each has its own deadline.
    await Promise.all([...running.values()].map(({ done }) => done));
  };

/** Better one task less than a runner that the system ends for its memory. */
const hasPlace = (running: number, concurrency: number): boolean =>
  running < concurrency && (running === 0 || process.availableMemory() > memoryForHelm);

interface Claimed {
  task: ClaimedTask;
  at: number;
}

async function claim({ bus, name, log }: ClaimTasksDeps): Promise<Claimed | null> {
  const at = machineMs();
  try {
    const { task } = await bus.call(runnerTasks.operations.claim, { body: { runner: name } });
    return task && { task, at };
  } catch (error) {
    // Nothing is lost: what was claimed by an answer that never came is taken over when its lease is out.
    log.debug({ err: error }, 'no claim this time');
    return null;
  }
}
