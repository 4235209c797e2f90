import type { TaskOutcome } from '@berth/shared/contracts/resources/runner-tasks';
import { Gauge, Histogram, type Registry } from 'prom-client';

export interface RunnerMetrics {
  /** `Lost`: another runner took over the claim. */
  ended(outcome: TaskOutcome | 'Lost', action: string, seconds: number): void;
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
  return {
    ended: (outcome, action, seconds) => tasks.observe({ outcome, action }, seconds),
    helmRunning: new Gauge({ name: 'berth_runner_helm_running', help: 'Helm processes running now', registers }),
  };
}
