import type { TaskOutcome } from '@berth/contracts/resources/tasks/runner-tasks';
import { Gauge, Histogram, type Registry } from 'prom-client';

export interface RunnerMetrics {
  /** `Lost`: another runner took over the claim. */
  ended(outcome: TaskOutcome | 'Lost', action: string, seconds: number): void;
  polled(outcome: 'ok' | 'failed', seconds: number): void;
  calledForResource(outcome: 'Done' | 'Retry' | 'Failed', seconds: number): void;
  dryRunEnded(outcome: 'Done' | 'Refused' | 'Failed', seconds: number): void;
  readonly dryRunsRunning: Pick<Gauge, 'inc' | 'dec'>;
  readonly helmRunning: Pick<Gauge, 'inc' | 'dec'>;
}

export function createRunnerMetrics(registry: Registry): RunnerMetrics {
  const registers = [registry];
  const tasks = new Histogram({
    name: 'berth_runner_task_seconds',
    help: 'Time from the claim of a task to its end, by outcome and action',
    labelNames: ['outcome', 'action'] as const,
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800],
    registers,
  });
  const polls = new Histogram({
    name: 'berth_runner_status_poll_seconds',
    help: 'Time that polls of the status of deployments took, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const resourceCalls = new Histogram({
    name: 'berth_runner_resource_call_seconds',
    help: 'Time that calls for resources took, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const dryRuns = new Histogram({
    name: 'berth_runner_dry_run_seconds',
    help: 'Time that dry runs for plans took, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    registers,
  });
  return {
    dryRunEnded: (outcome, seconds) => dryRuns.observe({ outcome }, seconds),
    dryRunsRunning: new Gauge({
      name: 'berth_runner_dry_runs_running',
      help: 'Dry runs for plans that run now',
      registers,
    }),
    calledForResource: (outcome, seconds) => resourceCalls.observe({ outcome }, seconds),
    polled: (outcome, seconds) => polls.observe({ outcome }, seconds),
    ended: (outcome, action, seconds) => tasks.observe({ outcome, action }, seconds),
    helmRunning: new Gauge({ name: 'berth_runner_helm_running', help: 'Helm processes running now', registers }),
  };
}
