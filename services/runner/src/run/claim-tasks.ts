import { type ClaimedTask, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import type { Bus } from '@berth/bus/bus';
import { AppError } from '@berth/contracts/errors';
import { machineMs } from '@berth/process-guard/machine-clock';
import type { Loop } from '@berth/service/service';
import { oneLane } from '../work/lanes.ts';
import { workLoop } from '../work/work-loop.ts';
import type { RunnerDeps } from './run-context.ts';
import { runTask } from './run-task.ts';

export interface ClaimTasksDeps extends Omit<RunnerDeps, 'stopping'> {
  name: string;
  /** Tasks that work at the same time. */
  slots: number;
  /** Tasks that wait for readiness at the same time, without a slot. */
  mostWaiting: number;
}

interface Run {
  fence: number;
  done: Promise<void>;
}

interface Claim {
  task: ClaimedTask;
  claimedAt: number;
}

/** Claims tasks and runs them. Each run keeps its claim by heartbeats, reports its outcome, and hands its task back at the end. */
export function claimTasks({ name, slots, mostWaiting, ...deps }: ClaimTasksDeps): Loop {
  const { bus, log } = deps;
  const latest = new Map<string, Run>();

  async function run({ task, claimedAt }: Claim, stopping: AbortSignal, leaveSlot: () => void): Promise<void> {
    const { task_id, fence } = task;
    const before = latest.get(task_id);
    if (before && before.fence >= fence) return log.warn({ task_id, fence }, 'a claim was answered twice');
    const runNext = async () => {
      // The same task again, while an earlier run here lost its claim and is still ending its Helm.
      await Promise.allSettled([before?.done]);
      await runTask({ task, claimedAt, leaveSlot }, { ...deps, stopping });
    };
    const mine = { fence, done: runNext() };
    latest.set(task_id, mine);
    await mine.done.finally(() => {
      if (latest.get(task_id) === mine) latest.delete(task_id);
    });
  }

  return workLoop<'all', Claim, void>({
    what: 'tasks',
    log,
    lanes: oneLane(slots),
    mostWithoutSlot: mostWaiting,
    mostClaimed: 1,
    pollMs: 1_000,
    onHint: (wake, signal) => bus.hints.listen('tasks_due', wake, { signal }),
    // Claim less rather than be killed for lack of memory.
    hasMemory: (working) => working === 0 || process.availableMemory() > deps.helm.limits.memoryBytes,
    claim: async () => {
      const claimedAt = machineMs();
      const { task, more = true } = await claimTask(bus, name);
      return { jobs: task ? [{ task, claimedAt }] : [], more };
    },
    work: run,
  });
}

/** A service of the previous version refuses the newest field; during an upgrade each claim may reach either. */
async function claimTask(bus: Pick<Bus, 'call'>, runner: string) {
  try {
    return await bus.call(runnerTasks.operations.claim, { body: { runner, continues_waits: true } });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error;
    return bus.call(runnerTasks.operations.claim, { body: { runner } });
  }
}
