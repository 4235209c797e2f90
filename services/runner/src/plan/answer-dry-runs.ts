import type { Bus } from '@berth/bus/bus';
import { type DryRun, type DryRunFailure, dryRuns } from '@berth/contracts/resources/tasks/dry-runs';
import { cutText } from '@berth/contracts/cut-text';
import { AppError } from '@berth/contracts/errors';
import type { Loop, Service } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import { memoryForHelm } from '../helm/memory-for-helm.ts';
import { TaskFailure } from '../outcome/task-failure.ts';
import type { RunnerMetrics } from '../run/runner-metrics.ts';
import { type DryRunDeps, dryRun } from './dry-run.ts';

/** Hints may be lost. */
const pollMs = 2_000;
/** Left for the report and the answer behind it. */
const reserveMs = 1_000;

export interface AnswerDryRunsDeps extends DryRunDeps {
  bus: Pick<Bus, 'call' | 'hints'>;
  log: Service['log'];
  metrics: Pick<RunnerMetrics, 'dryRunEnded' | 'dryRunsRunning'>;
  /** Dry runs at the same time. */
  places: number;
}

/** Makes the dry runs that plans wait for, as many at a time as there are places. */
export const answerDryRuns =
  ({ bus, log, metrics, places, ...deps }: AnswerDryRunsDeps): Loop =>
  async (stopping) => {
    const running = new Set<Promise<void>>();
    const { wake, wait } = createWakeUp(stopping);
    bus.hints.listen('dry_runs_due', wake, { signal: stopping });

    async function answer(run: DryRun, giveUpAt: number): Promise<void> {
      const { task_id, fence, cluster_id, action } = run;
      const remainingMs = () => Math.max(0, Math.floor(giveUpAt - performance.now()));
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(remainingMs())]);
      const began = performance.now();
      const outcome = await dryRun(run, deps, { signal, remainingMs }).then(
        (result) => ({ result }),
        (error: unknown) => ({ failure: failureOf(error, signal, log) }),
      );
      const ms = Math.round(performance.now() - began);
      log.info({ dry_run_id: task_id, cluster_id, action, ms, refused: 'failure' in outcome }, 'dry run ended');
      metrics.dryRunEnded(labelOf(outcome), ms / 1_000);
      await bus.call(dryRuns.operations.report, { body: { task_id, fence, outcome } }).catch((error: unknown) => {
        log.warn({ err: error, dry_run_id: task_id }, 'the result of a dry run was not reported');
      });
    }

    async function claim(): Promise<boolean> {
      if (running.size >= places || process.availableMemory() < 2 * memoryForHelm) return false;
      const claimedAt = performance.now();
      const { dry_run } = await bus.call(dryRuns.operations.claim, {});
      if (!dry_run) return false;
      metrics.dryRunsRunning.inc();
      const done = answer(dry_run, claimedAt + dry_run.within_ms - reserveMs)
        .catch((error: unknown) => log.error({ err: error }, 'a dry run ended without a result'))
        .finally(() => {
          metrics.dryRunsRunning.dec();
          running.delete(done);
          wake();
        });
      running.add(done);
      return true;
    }

    while (!stopping.aborted) {
      const claimed = await claim().catch((error: unknown) => {
        log.debug({ err: error }, 'no dry run was claimed');
        return false;
      });
      if (!claimed) await wait(pollMs);
    }
    // Each ends with the runner.
    await Promise.all(running);
  };

function labelOf(outcome: { result: unknown } | { failure: DryRunFailure }): 'Done' | 'Refused' | 'Failed' {
  if ('result' in outcome) return 'Done';
  return outcome.failure.refused ? 'Refused' : 'Failed';
}

function failureOf(error: unknown, signal: AbortSignal, log: Service['log']): DryRunFailure {
  if (signal.aborted) return { refused: false, reason: 'The plan took too long, or its runner stopped' };
  if (error instanceof TaskFailure) return { refused: error.kind === 'permanent', reason: cutText(error.message, 500) };
  if (error instanceof AppError)
    return { refused: error.status < 500 && error.status !== 429, reason: cutText(error.message, 500) };
  log.error({ err: error }, 'a dry run failed because of a bug');
  return { refused: false, reason: 'An internal error of the platform interrupted the plan' };
}
