import type { DryRun, DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import type { DryRunOutcome } from './fake-tasks.ts';
import { actionsIn, soon } from './helm-actions.ts';
import { type RunnerProcess, type RunnerWorld, startRunnerWorld } from './runner-world.ts';

export interface Running extends AsyncDisposable {
  world: RunnerWorld;
  runner: RunnerProcess;
  act: ReturnType<typeof actionsIn>;
  outcomeOf(run: DryRun): Promise<DryRunOutcome>;
  /** The result of a dry run; throws the reason of one that fails. */
  planned(run: DryRun): Promise<DryRunResult>;
}

/** A world with one runner, for all tests of a file. */
export async function startRunning(env: Record<string, string> = {}): Promise<Running> {
  const stack = new AsyncDisposableStack();
  const world = stack.use(await startRunnerWorld());
  const runner = stack.use(await world.start(env));

  async function outcomeOf(run: DryRun): Promise<DryRunOutcome> {
    world.tasks.giveDryRun(run);
    return soon('the outcome of the dry run', () => world.tasks.outcomeOf(run.task_id));
  }

  return {
    world,
    runner,
    act: actionsIn(world),
    outcomeOf,
    async planned(run) {
      const outcome = await outcomeOf(run);
      if (!('result' in outcome)) throw new Error(outcome.failure.reason);
      return outcome.result;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
