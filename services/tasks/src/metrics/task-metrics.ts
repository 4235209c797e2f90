import type { ErrorCode } from '@berth/contracts/errors';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Variant } from '../records/variant.ts';
import type { EndedClaim } from '../records/ended-claim.ts';

/** `ok`, or the error code of the plan. */
export type PlanOutcome = 'ok' | ErrorCode;

export interface TaskMetrics {
  /** From the time at which the task was due to its first start. */
  waited(operation: Variant, seconds: number): void;
  /** Null if nothing ended. */
  ended(claim: EndedClaim | null): void;
  polled(lateSeconds: number): void;
  removed(tasks: number): void;
  planned(outcome: PlanOutcome, seconds: number): void;
  readonly plansWaiting: Pick<Gauge, 'inc' | 'dec'>;
  queue(depths: readonly QueueDepth[]): void;
  health(counts: readonly HealthCount[], degraded: readonly DegradedDeployment[]): void;
}

interface HealthCount {
  env: string;
  state: string;
  deployments: number;
}

/** A degraded deployment, named by its namespace. */
interface DegradedDeployment {
  env: string;
  cluster: string;
  deployment: string;
  seconds: number;
}

/** Bounds the values of the label: those that are degraded for the longest time are named. */
export const namedDeployments = 100;

export interface QueueDepth {
  cluster: string;
  due: number;
  started: number;
  awaiting: number;
  /** How long the oldest due task has waited. */
  oldest_seconds: number;
}

/** The busiest clusters get their own label; the others share one. */
export const labelledClusters = 50;
const otherClusters = 'other clusters';

const minutes = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 6 * 3_600];

export function createTaskMetrics(registry: Registry): TaskMetrics {
  const registers = [registry];
  const wait = new Histogram({
    name: 'berth_tasks_wait_seconds',
    help: 'Time from the moment at which a task was to run to its first start, by operation',
    labelNames: ['operation'] as const,
    buckets: minutes,
    registers,
  });
  const run = new Histogram({
    name: 'berth_tasks_run_seconds',
    help: 'Time from the start of a task to its end, by operation and outcome; PutBack: it is queued again',
    labelNames: ['operation', 'outcome'] as const,
    buckets: minutes,
    registers,
  });
  const attempts = new Counter({
    name: 'berth_tasks_attempts_total',
    help: 'Attempts of tasks in which Helm, or a call, had begun, by operation',
    labelNames: ['operation'] as const,
    registers,
  });
  const late = new Histogram({
    name: 'berth_tasks_status_poll_lateness_seconds',
    help: 'How much later than due the polls of statuses are given to a runner',
    buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const removed = new Counter({
    name: 'berth_tasks_removed_total',
    help: 'Finished tasks that were removed because they are no longer kept',
    registers,
  });
  const plans = new Histogram({
    name: 'berth_tasks_plan_seconds',
    help: 'Time for which plans waited for their dry runs, by outcome: ok, or the code of the error',
    labelNames: ['outcome'] as const,
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    registers,
  });
  const queueGauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['berth_cluster'] as const, registers });
  const due = queueGauge('berth_tasks_due', 'Pending tasks whose time has come, by cluster');
  const started = queueGauge('berth_tasks_started', 'Tasks that work now, each in a slot, by cluster');
  const awaiting = queueGauge('berth_tasks_awaiting', 'Tasks that only await readiness, without a slot, by cluster');
  const oldest = queueGauge(
    'berth_tasks_oldest_due_seconds',
    'How long the first of the due tasks has waited, by cluster',
  );
  const deployments = new Gauge({
    name: 'berth_deployments',
    help: 'Installed deployments, by env and health',
    labelNames: ['berth_env', 'health'] as const,
    registers,
  });
  const degradedFor = new Gauge({
    name: 'berth_deployment_degraded_seconds',
    help: 'For how long a deployment has been degraded, by env, cluster and deployment (its namespace)',
    labelNames: ['berth_env', 'berth_cluster', 'deployment'] as const,
    registers,
  });

  return {
    waited: (operation, seconds) => wait.observe({ operation }, Math.max(0, seconds)),
    ended(claim) {
      if (!claim) return;
      const { operation, outcome, began, started_at } = claim;
      if (began) attempts.inc({ operation });
      if (started_at === null) return;
      // The clock of the database and this one differ by little.
      run.observe({ operation, outcome }, Math.max(0, Date.now() - Date.parse(started_at)) / 1_000);
    },
    polled: (seconds) => late.observe(Math.max(0, seconds)),
    removed: (tasks) => removed.inc(tasks),
    planned: (outcome, seconds) => plans.observe({ outcome }, seconds),
    plansWaiting: new Gauge({
      name: 'berth_tasks_plans_waiting',
      help: 'Plans that wait for their dry runs now',
      registers,
    }),
    health(counts, degraded) {
      for (const gauge of [deployments, degradedFor]) gauge.reset();
      for (const { env, state, deployments: count } of counts)
        deployments.set({ berth_env: env, health: state }, count);
      for (const { env, cluster, deployment, seconds } of degraded) {
        degradedFor.set({ berth_env: env, berth_cluster: cluster, deployment }, seconds);
      }
    },
    queue(depths) {
      // Idle clusters are not reported.
      for (const gauge of [due, started, awaiting, oldest]) gauge.reset();
      for (const { cluster: berth_cluster, ...depth } of boundedDepths(depths)) {
        due.set({ berth_cluster }, depth.due);
        started.set({ berth_cluster }, depth.started);
        awaiting.set({ berth_cluster }, depth.awaiting);
        oldest.set({ berth_cluster }, depth.oldest_seconds);
      }
    },
  };
}

/** Bounds the values of the label: users can create any number of clusters. The given depths are sorted, the largest first. */
export function boundedDepths(depths: readonly QueueDepth[]): QueueDepth[] {
  const others = depths.slice(labelledClusters);
  if (others.length === 0) return [...depths];
  const sum = (count: (depth: QueueDepth) => number) => others.reduce((total, depth) => total + count(depth), 0);
  const together = {
    cluster: otherClusters,
    due: sum(({ due }) => due),
    started: sum(({ started }) => started),
    awaiting: sum(({ awaiting }) => awaiting),
    oldest_seconds: Math.max(...others.map(({ oldest_seconds }) => oldest_seconds)),
  };
  return [...depths.slice(0, labelledClusters), together];
}
