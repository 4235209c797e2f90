import type { Bus } from '@berth/bus/bus';
import { type DryRun, type DryRunFailure, dryRuns } from '@berth/contracts/resources/tasks/dry-runs';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import { cutText } from '@berth/contracts/cut-text';
import { AppError } from '@berth/contracts/errors';
import type { Loop, Service } from '@berth/service/service';
import { ManagedElsewhere, TaskFailure } from '../outcome/task-failure.ts';
import type { RunnerMetrics } from '../metrics/runner-metrics.ts';
import { oneLane } from '../work/lanes.ts';
import { workLoop } from '../work/work-loop.ts';
import { dryRun } from './dry-run.ts';
import type { DryRunDeps } from './plan-context.ts';

/** Reserved for the report and the answer of the plan. */
const reserveMs = 1_000;

export interface AnswerDryRunsDeps extends DryRunDeps {
  bus: Pick<Bus, 'call' | 'hints'>;
  log: Service['log'];
  metrics: Pick<RunnerMetrics, 'dryRunEnded' | 'dryRunsRunning'>;
  /** Concurrent dry runs. */
  slots: number;
}

interface Claim {
  run: DryRun;
  giveUpAt: number;
}

/** Makes the dry runs of plans. Each reports its own result at once, even when the runner stops, since somebody waits for it. */
export function answerDryRuns({ bus, log, metrics, slots, ...deps }: AnswerDryRunsDeps): Loop {
  async function answer({ run, giveUpAt }: Claim, stopping: AbortSignal): Promise<void> {
    const { task_id, fence, cluster_id, action } = run;
    const remainingMs = () => Math.max(0, Math.floor(giveUpAt - performance.now()));
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(remainingMs())]);
    const began = performance.now();
    metrics.dryRunsRunning.inc();
    const outcome = await dryRun(run, deps, { signal, remainingMs })
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ failure: failureOf(error, signal, log) }),
      )
      .finally(() => metrics.dryRunsRunning.dec());
    const ms = Math.round(performance.now() - began);
    log.info({ dry_run_id: task_id, cluster_id, action, ms, refused: 'failure' in outcome }, 'dry run ended');
    metrics.dryRunEnded(labelOf(outcome), ms / 1_000);
    await bus.call(dryRuns.operations.report, { body: { task_id, fence, outcome } }).catch((error: unknown) => {
      log.warn({ err: error, dry_run_id: task_id }, 'the result of a dry run was not reported');
    });
  }

  return workLoop<'all', Claim, void>({
    what: 'dry runs',
    log,
    lanes: oneLane(slots),
    mostClaimed: 1,
    pollMs: 2_000,
    onHint: (wake, signal) => bus.hints.listen('dry_runs_due', wake, { signal }),
    hasMemory: () => process.availableMemory() >= 2 * deps.helm.limits.memoryBytes,
    claim: async () => {
      const claimedAt = performance.now();
      const { dry_run: run } = await bus.call(dryRuns.operations.claim, {});
      return { jobs: run ? [{ run, giveUpAt: claimedAt + run.within_ms - reserveMs }] : [], more: true };
    },
    work: answer,
  });
}

function labelOf(outcome: { result: unknown } | { failure: DryRunFailure }): 'Done' | 'Refused' | 'Failed' {
  if ('result' in outcome) return 'Done';
  return outcome.failure.refused ? 'Refused' : 'Failed';
}

function failureOf(error: unknown, signal: AbortSignal, log: Service['log']): DryRunFailure {
  if (signal.aborted) return { refused: false, reason: 'The plan took too long, or its runner stopped' };
  if (error instanceof ManagedElsewhere)
    return { refused: true, is_conflict: true, reason: cutText(error.message, 500) };
  if (error instanceof TaskFailure) return { refused: error.kind === 'permanent', reason: cutText(error.message, 500) };
  if (error instanceof AppError)
    return {
      refused: error.status < 500 && error.status !== 429,
      reason: cutText(error.message, 500),
      ...(error.code === 'conflict' && { is_conflict: true }),
    };
  log.error({ err: error }, 'a dry run failed because of a bug');
  return { refused: false, reason: internalError.inPlan };
}
